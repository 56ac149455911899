//! The confirm flow of bench/cases with the Rust SDK, over HTTP. The SDK's codec signs the state,
//! bound to the tool, its arguments and an expiry. It does not encrypt it.
//!
//! Prints its URL, and its CPU time in milliseconds for each line of stdin. Ends with stdin.

use std::{sync::Arc, time::Duration};

use cpu_time::ProcessTime;
use rmcp::{
    ErrorData, ServerHandler,
    handler::server::{
        tool::{InputResponses, RequestState},
        wrapper::Parameters,
    },
    model::*,
    tool, tool_handler, tool_router,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Reason {
    Unused,
    Moved,
    Other,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Arguments {
    /// The folder, as an absolute path.
    path: String,
    /// Why it is deleted.
    reason: Reason,
    /// For the log.
    note: Option<String>,
    /// How long it can be restored.
    keep_days: Option<u8>,
}

#[derive(Deserialize, Serialize)]
struct State {
    files: usize,
}

#[derive(Clone)]
struct Folders {
    codec: Arc<RequestStateCodec>,
    form: ElicitationSchema,
}

fn failed(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::invalid_params(error.to_string(), None)
}

/// Returns the data that the signed state is valid for: the tool and its arguments.
fn binding(arguments: &Arguments) -> Result<Vec<u8>, ErrorData> {
    let text = serde_json::to_vec(arguments).map_err(failed)?;
    Ok([b"delete_folder ".as_slice(), &Sha256::digest(text)].concat())
}

#[tool_router]
impl Folders {
    #[tool]
    async fn delete_folder(
        &self,
        Parameters(arguments): Parameters<Arguments>,
        RequestState(state): RequestState,
        InputResponses(responses): InputResponses,
    ) -> Result<CallToolResponse, ErrorData> {
        let bound = binding(&arguments)?;
        let Some(answer) = responses.as_ref().and_then(|all| all.get("sure")) else {
            return self.ask(&arguments, &bound);
        };
        let sealed = state.ok_or_else(|| failed("the state is missing"))?;
        let opened: State = self.codec.open_json_with(&sealed, &bound).map_err(failed)?;
        let confirmed = answer["action"] == "accept" && answer["content"]["confirm"] == true;
        let text = if confirmed {
            format!("Deleted {} with {} files.", arguments.path, opened.files)
        } else {
            "Kept.".to_string()
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }

    fn ask(&self, arguments: &Arguments, bound: &[u8]) -> Result<CallToolResponse, ErrorData> {
        let files = arguments.path.len() % 7;
        let options = SealOptions::new().associated_data(bound).ttl(Duration::from_secs(600));
        let sealed = self.codec.seal_json_with(&State { files }, &options).map_err(failed)?;
        let question = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: format!("Delete {} with {files} files?", arguments.path),
            requested_schema: self.form.clone(),
        };
        let requests = InputRequests::from([(
            "sure".to_string(),
            InputRequest::Elicitation(ElicitRequest::new(question)),
        )]);
        Ok(InputRequiredResult::new(Some(requests), Some(sealed)).into())
    }
}

#[tool_handler]
impl ServerHandler for Folders {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

fn report() {
    for _ in std::io::stdin().lines() {
        println!("{}", ProcessTime::now().as_duration().as_secs_f64() * 1000.0);
    }
    std::process::exit(0);
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let codec = RequestStateCodec::try_new(b"a key of at least 32 bytes, for benchmarks only")?;
    let form = serde_json::from_value(serde_json::json!({
        "type": "object",
        "properties": { "confirm": { "type": "boolean" } },
        "required": ["confirm"],
    }))?;
    let folders = Folders { codec: Arc::new(codec), form };
    let service = StreamableHttpService::new(
        move || Ok(folders.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("Listening on http://{}/mcp", listener.local_addr()?);
    std::thread::spawn(report);
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
