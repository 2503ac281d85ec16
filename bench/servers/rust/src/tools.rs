use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::{
        router::tool::{ToolRoute, ToolRouter},
        tool::InputResponses,
        wrapper::{Json, Parameters},
    },
    model::*,
    service::RequestContext,
    tool, tool_handler, tool_router,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;

#[derive(Deserialize, JsonSchema)]
struct Numbers {
    a: f64,
    b: f64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Size {
    bytes: usize,
}

#[derive(Deserialize, JsonSchema)]
struct Measured {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Steps {
    count: u32,
}

/// The server; a copy of it is made for each session or request.
#[derive(Clone)]
pub struct Bench {
    tool_router: Arc<ToolRouter<Self>>,
}

fn text(said: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(said)])
}

fn filler(name: String) -> ToolRoute<Bench> {
    let schema = json!({
        "type": "object",
        "properties": {
            "query": { "type": "string", "description": "What to look for" },
            "limit": { "type": "integer", "description": "The most results that are wanted", "minimum": 1, "maximum": 100 },
            "exact": { "type": "boolean", "description": "Whether the whole word has to match" },
            "order": { "type": "string", "enum": ["name", "date", "size"], "description": "How the results are sorted" },
            "tags": { "type": "array", "items": { "type": "string" }, "description": "Tags that a result has to have" }
        },
        "required": ["query"]
    });
    let description = format!("Searches the collection {name} and gives back what it finds there");
    ToolRoute::new_dyn(Tool::new(name.clone(), description, Arc::new(object(schema))), move |_| {
        let said = name.clone();
        Box::pin(async move { Ok(text(said).into()) })
    })
}

#[tool_router]
impl Bench {
    pub fn new(tools: usize) -> Self {
        let mut router = Self::tool_router();
        for number in 1..tools {
            router.add_route(filler(format!("tool_{number}")));
        }
        Self { tool_router: Arc::new(router) }
    }

    #[tool(description = "Adds two numbers")]
    fn add(&self, Parameters(Numbers { a, b }): Parameters<Numbers>) -> Json<Sum> {
        Json(Sum { sum: a + b })
    }

    #[tool(description = "Gives a text of that many bytes")]
    fn blob(&self, Parameters(Size { bytes }): Parameters<Size>) -> String {
        "x".repeat(bytes)
    }

    #[tool(description = "Returns the length of a text")]
    fn measure(&self, Parameters(Measured { text }): Parameters<Measured>) -> String {
        text.len().to_string()
    }

    #[tool(description = "Reports progress that often")]
    async fn progress(
        &self,
        Parameters(Steps { count }): Parameters<Steps>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        if let Some(token) = context.meta.get_progress_token() {
            for step in 1..=count {
                let progress = ProgressNotificationParam::new(token.clone(), step.into()).with_total(count.into());
                let sent = context.peer.notify_progress(progress).await;
                sent.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            }
        }
        Ok(text("done".into()))
    }

    #[tool(description = "Asks for a name once")]
    async fn ask(&self, InputResponses(responses): InputResponses) -> Result<CallToolResponse, ErrorData> {
        let answer = responses.as_ref().and_then(|all| all.get("who"));
        if let Some(name) = answer.and_then(|one| one["content"]["name"].as_str()) {
            return Ok(text(format!("Hello, {name}")).into());
        }
        let form = json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
        let mut requests = InputRequests::new();
        let question = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: "What is your name?".into(),
            requested_schema: serde_json::from_value(form).expect("the form is one"),
        };
        requests.insert("who".into(), InputRequest::Elicitation(ElicitRequest::new(question)));
        Ok(InputRequiredResult::new(Some(requests), None).into())
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Bench {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}
