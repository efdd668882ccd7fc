//! The pages of the documentation, and the blocks of code in them.

use std::fs;

use crate::{files, root};

/// A page, by its path in the repository.
pub struct Page {
    pub path: String,
    pub text: String,
    pub blocks: Vec<Block>,
}

/// A block of code. Its heading and its number of a line are those above it and of its fence.
pub struct Block {
    /// The heading of level 2 above it, and the nearest one of any level.
    pub sections: [String; 2],
    pub language: String,
    /// What follows the language.
    pub words: Vec<String>,
    pub line: usize,
    pub text: String,
}

/// README.md and the pages of docs/.
pub fn documentation() -> Vec<Page> {
    let mut paths = vec!["README.md".to_owned()];
    paths.extend(files("docs", ".md"));
    paths.iter().map(|path| Page::read(path)).collect()
}

impl Page {
    pub fn read(path: &str) -> Self {
        let text = fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
        let mut blocks = Vec::new();
        let mut sections = [String::new(), String::new()];
        let mut open: Option<Block> = None;
        for (number, line) in text.lines().enumerate() {
            match (&mut open, line.trim_start().strip_prefix("```")) {
                (Some(_), Some("")) => blocks.extend(open.take()),
                (Some(block), _) => {
                    block.text += line;
                    block.text.push('\n');
                }
                (None, Some(fence)) => {
                    let is_indented = line.starts_with(' ') && fence.starts_with("sql");
                    assert!(!is_indented, "{path}:{}: SQL that is indented", number + 1);
                    let mut words = fence.split_whitespace().map(str::to_owned);
                    open = Some(Block {
                        sections: sections.clone(),
                        language: words.next().unwrap_or_default(),
                        words: words.collect(),
                        line: number + 1,
                        text: String::new(),
                    });
                }
                (None, None) => {
                    if let Some(heading) = line.strip_prefix("## ") {
                        sections = [heading.to_owned(), heading.to_owned()];
                    } else if line.starts_with('#') {
                        heading(line).clone_into(&mut sections[1]);
                    }
                }
            }
        }
        assert!(open.is_none(), "{path}: a block has no end");
        Self { path: path.to_owned(), text, blocks }
    }

    /// The blocks below that heading.
    pub fn section(&self, heading: &str) -> Vec<&Block> {
        let blocks: Vec<_> = self.blocks.iter().filter(|block| block.sections.iter().any(|it| it == heading)).collect();
        assert!(!blocks.is_empty(), "{}: no code below '{heading}'", self.path);
        blocks
    }

    /// The one block below that heading that has the text.
    pub fn block_with(&self, heading: &str, text: &str) -> &Block {
        let mut found = self.section(heading).into_iter().filter(|block| block.text.contains(text));
        let block = found.next().unwrap_or_else(|| panic!("{}: no block has: {text}", self.path));
        assert!(found.next().is_none(), "{}: several blocks have: {text}", self.path);
        block
    }

    /// The lines outside of blocks.
    pub fn prose(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut inside = false;
        self.text.lines().enumerate().filter_map(move |(number, line)| {
            let is_fence = line.trim_start().starts_with("```");
            inside ^= is_fence;
            (!inside && !is_fence).then_some((number + 1, line))
        })
    }

    /// The anchors of its headings, as GitHub derives them.
    pub fn anchors(&self) -> Vec<String> {
        let headings = self.prose().map(|(_, line)| line).filter(|line| line.starts_with('#'));
        let anchor = |line: &str| -> String {
            let kept = heading(line).to_lowercase();
            let kept = kept.chars().filter(|c| c.is_ascii_alphanumeric() || " _-".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        };
        headings.map(anchor).collect()
    }
}

fn heading(line: &str) -> &str {
    line.trim_start_matches('#').trim_start()
}
