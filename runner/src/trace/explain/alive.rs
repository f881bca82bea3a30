//! The objects a program has made and not destroyed, and what each was made
//! from.

use protocol::event::{Arg, Handle, Returned, Value};

#[derive(Default)]
pub struct Alive {
    objects: Vec<Object>,
}

struct Object {
    handle: Handle,
    parents: Vec<Handle>,
}

impl Alive {
    /// Takes in a call that worked.
    pub fn see(&mut self, call: &str, args: &[Arg], returned: &Returned) {
        if let Returned::Handle(handle) = returned {
            let mut parents = Vec::new();
            handles(args, &mut parents);
            self.objects.push(Object {
                handle: handle.clone(),
                parents,
            });
        } else if destroys(call)
            && let Some(Value::Handle(gone)) = args.first().map(|arg| &arg.value)
        {
            self.objects.retain(|object| object.handle != *gone);
        }
    }

    /// What was made from this object and is still there.
    pub fn children(&self, parent: &Handle) -> Vec<&Handle> {
        self.objects
            .iter()
            .filter(|object| object.parents.contains(parent))
            .map(|object| &object.handle)
            .collect()
    }
}

fn destroys(call: &str) -> bool {
    ["_destroy_", "_dealloc_", "_dereg_", "_close_", "_free_"]
        .iter()
        .any(|verb| call.contains(verb))
}

fn handles(args: &[Arg], found: &mut Vec<Handle>) {
    for arg in args {
        match &arg.value {
            Value::Handle(handle) if handle.number != 0 => found.push(handle.clone()),
            Value::Group(inner) => handles(inner, found),
            _ => {}
        }
    }
}
