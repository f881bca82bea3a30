pub mod testbed;
