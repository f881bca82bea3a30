fn main() {
    skeptic::generate_doc_tests(&["../../README.md"]);
}
