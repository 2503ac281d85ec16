use std::{collections::HashMap, env};

/// The command-line flags; flags that this program does not use are ignored.
pub struct Options {
    pub transport: String,
    pub mode: String,
    pub tools: usize,
    pub port: u16,
}

impl Options {
    pub fn read() -> Self {
        let given: Vec<String> = env::args().skip(1).collect();
        let flags: HashMap<&str, &str> =
            given.chunks_exact(2).map(|pair| (pair[0].trim_start_matches('-'), pair[1].as_str())).collect();
        let text = |name: &str, otherwise: &str| flags.get(name).unwrap_or(&otherwise).to_string();
        Self {
            transport: text("transport", "http"),
            mode: text("mode", "modern"),
            tools: text("tools", "1").parse().expect("--tools is a number"),
            port: text("port", "0").parse().expect("--port is a number"),
        }
    }
}
