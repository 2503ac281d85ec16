//! The official Rust SDK, as its documentation serves it: one router for all requests, JSON where nothing has to be streamed.
mod options;
mod tools;

use options::Options;
use rmcp::{
    ServiceExt,
    transport::{
        stdio,
        streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager},
    },
};
use tools::Bench;

type Failure = Box<dyn std::error::Error>;

async fn serve_http(bench: Bench, options: &Options) -> Result<(), Failure> {
    let mut config = StreamableHttpServerConfig::default();
    config.legacy_session_mode = options.mode == "session";
    config.json_response = true;
    let service: StreamableHttpService<Bench, LocalSessionManager> =
        StreamableHttpService::new(move || Ok(bench.clone()), Default::default(), config);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", options.port)).await?;
    println!("{{\"port\":{}}}", listener.local_addr()?.port());
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let options = Options::read();
    let bench = Bench::new(options.tools);
    if options.transport == "http" {
        return serve_http(bench, &options).await;
    }
    bench.serve(stdio()).await?.waiting().await?;
    Ok(())
}
