//! A long sequence of equal steps, written short.

use serde::{Deserialize, Serialize};

/// One item, or a block of items that came several times in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Step<T> {
    Repeat { times: usize, of: Vec<T> },
    Once(T),
}

impl<T> Step<T> {
    pub fn times(&self) -> usize {
        match self {
            Step::Repeat { times, .. } => *times,
            Step::Once(_) => 1,
        }
    }

    pub fn items(&self) -> &[T] {
        match self {
            Step::Repeat { of, .. } => of,
            Step::Once(item) => std::slice::from_ref(item),
        }
    }
}

/// The longest block looked for.
const LONGEST_PERIOD: usize = 16;

/// Folds items that repeat: the shortest period first, as often as it holds.
pub fn fold<T: PartialEq + Clone>(items: &[T]) -> Vec<Step<T>> {
    let mut steps = Vec::new();
    let mut at = 0;
    while at < items.len() {
        let (period, times) = repetition(&items[at..]);
        if times > 1 {
            steps.push(Step::Repeat {
                times,
                of: items[at..at + period].to_vec(),
            });
        } else {
            steps.push(Step::Once(items[at].clone()));
        }
        at += period * times;
    }
    steps
}

/// Period and number of repetitions at the start of `items`. A block of
/// several items must come three times to be worth folding: twice is how a
/// program that sets up two of everything looks, and reads better in full.
fn repetition<T: PartialEq>(items: &[T]) -> (usize, usize) {
    for period in 1..=LONGEST_PERIOD.min(items.len() / 2) {
        let block = &items[..period];
        let times = items
            .chunks_exact(period)
            .take_while(|chunk| *chunk == block)
            .count();
        let worth = if period == 1 { 2 } else { 3 };
        if times >= worth {
            return (period, times);
        }
    }
    (1, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let items: Vec<char> = text.chars().collect();
        fold(&items)
            .iter()
            .map(|step| match step {
                Step::Once(c) => c.to_string(),
                Step::Repeat { times, of } => format!("({}){times}", String::from_iter(of)),
            })
            .collect()
    }

    #[test]
    fn equal_neighbours_and_short_periods_fold() {
        assert_eq!(shown("abc"), "abc");
        assert_eq!(shown("aab"), "(a)2b");
        assert_eq!(shown("xabababy"), "x(ab)3y");
        assert_eq!(shown("aabaab"), "(a)2b(a)2b");
    }

    #[test]
    fn a_pair_that_comes_twice_stays_as_it_is() {
        assert_eq!(shown("abab"), "abab");
    }
}
