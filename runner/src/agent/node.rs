//! What a node is: its kernel, its device and how the two are connected, read
//! from `/proc`, `/sys` and the library itself.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fs;
use std::path::{Path, PathBuf};

use protocol::report::Provenance;

/// Everything but the testbed's name and accelerator, which the host knows.
pub fn provenance() -> Provenance {
    let mut provenance = Provenance {
        kernel: read("/proc/sys/kernel/osrelease"),
        rdma_core: library_version(),
        cpus: std::thread::available_parallelism().map_or(0, |n| n.get() as u32),
        ..Provenance::default()
    };
    if let Some(device) = first_device() {
        let name = device.file_name().unwrap_or_default();
        provenance.device = name.to_string_lossy().into_owned();
        provenance.driver = driver(&device);
        provenance.firmware = read(device.join("fw_ver"));
        let port = device.join("ports/1");
        provenance.link = read(port.join("link_layer"));
        if let Some((gid_type, netdev)) = routable_gid(&port) {
            provenance.gid_type = gid_type;
            let mtu = Path::new("/sys/class/net").join(netdev).join("mtu");
            provenance.netdev_mtu = read(mtu).parse().unwrap_or(0);
        }
        provenance.active_mtu = active_mtu(&provenance.device).unwrap_or(0);
    }
    provenance
}

fn first_device() -> Option<PathBuf> {
    let mut devices: Vec<PathBuf> = fs::read_dir("/sys/class/infiniband")
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    devices.sort();
    devices.into_iter().next()
}

/// A device on a bus names its driver; a soft one only its own kind.
fn driver(device: &Path) -> String {
    if let Ok(link) = fs::read_link(device.join("device/driver"))
        && let Some(name) = link.file_name()
    {
        return name.to_string_lossy().into_owned();
    }
    match read(device.join("node_desc")).as_str() {
        "rxe" => "rdma_rxe".into(),
        "siw" => "siw".into(),
        other => other.into(),
    }
}

/// Type and interface of the first GID that holds an IPv4 address.
fn routable_gid(port: &Path) -> Option<(String, String)> {
    let mut indexes: Vec<u32> = fs::read_dir(port.join("gids"))
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    indexes.sort_unstable();
    indexes.into_iter().find_map(|index| {
        let gid = read(port.join("gids").join(index.to_string()));
        if !gid.starts_with("0000:0000:0000:0000:0000:ffff:") {
            return None;
        }
        let attributes = port.join("gid_attrs");
        Some((
            read(attributes.join("types").join(index.to_string())),
            read(attributes.join("ndevs").join(index.to_string())),
        ))
    })
}

/// The number behind `libibverbs.so.1.MINOR.`, which is rdma-core's version.
fn library_version() -> String {
    let multiarch = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    [
        multiarch.as_str(),
        "/usr/lib64",
        "/usr/lib",
        "/lib64",
        "/lib",
    ]
    .iter()
    .filter_map(|folder| fs::canonicalize(Path::new(folder).join("libibverbs.so.1")).ok())
    .find_map(|file| {
        let name = file.file_name()?.to_str()?;
        // libibverbs.so.1.14.44.0: ABI, then the release.
        let numbers: Vec<&str> = name.strip_prefix("libibverbs.so.")?.split('.').collect();
        Some(numbers.get(2..)?.join("."))
    })
    .unwrap_or_default()
}

/// Bytes; the kernel shows it nowhere in sysfs, so the library is asked.
fn active_mtu(device: &str) -> Option<u32> {
    let library = Library::open(c"libibverbs.so.1")?;
    // SAFETY: the signatures are those of `infiniband/verbs.h`; devices and
    // contexts are opaque here. The list is freed after its last use and the
    // context is closed. `ibv_query_port` fills at most 52 bytes.
    unsafe {
        type GetList = unsafe extern "C" fn(*mut c_int) -> *mut *mut c_void;
        type FreeList = unsafe extern "C" fn(*mut *mut c_void);
        type GetName = unsafe extern "C" fn(*mut c_void) -> *const c_char;
        type Open = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
        type Close = unsafe extern "C" fn(*mut c_void) -> c_int;
        type QueryPort = unsafe extern "C" fn(*mut c_void, u8, *mut [u32; 32]) -> c_int;
        let get_list: GetList = std::mem::transmute(library.symbol(c"ibv_get_device_list")?);
        let free_list: FreeList = std::mem::transmute(library.symbol(c"ibv_free_device_list")?);
        let get_name: GetName = std::mem::transmute(library.symbol(c"ibv_get_device_name")?);
        let open: Open = std::mem::transmute(library.symbol(c"ibv_open_device")?);
        let close: Close = std::mem::transmute(library.symbol(c"ibv_close_device")?);
        let query_port: QueryPort = std::mem::transmute(library.symbol(c"ibv_query_port")?);
        let mut count = 0;
        let list = get_list(&raw mut count);
        if list.is_null() {
            return None;
        }
        let found = (0..count as usize)
            .map(|index| *list.add(index))
            .find(|entry| CStr::from_ptr(get_name(*entry)).to_bytes() == device.as_bytes());
        let context = found.map_or(std::ptr::null_mut(), |entry| open(entry));
        free_list(list);
        if context.is_null() {
            return None;
        }
        let mut attributes = [0; 32];
        let failed = query_port(context, 1, &raw mut attributes);
        close(context);
        // state, max_mtu, active_mtu
        (failed == 0).then(|| 128 << attributes[2])
    }
}

struct Library(*mut c_void);

impl Library {
    fn open(name: &CStr) -> Option<Library> {
        // SAFETY: the name ends with a zero byte; the library's constructors
        // have no precondition.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
        (!handle.is_null()).then_some(Library(handle))
    }

    fn symbol(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: the handle is open and the name ends with a zero byte.
        let symbol = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!symbol.is_null()).then_some(symbol)
    }
}

/// A file's text without its line end; empty when it cannot be read.
fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path)
        .unwrap_or_default()
        .trim()
        .to_string()
}
