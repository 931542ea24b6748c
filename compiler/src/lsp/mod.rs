//! A server for editors: the Language Server Protocol over standard input and output.
//!
//! [`transport`] reads and writes messages, [`server`] leads the conversation, [`documents`] keeps the texts as they are
//! in the editor, [`index`] is what the front end knows of them. Each of the rest answers one kind of question; [`verify`]
//! runs searches in threads of their own. It must never panic or hang: what goes wrong with one request is the answer to
//! that request.

mod answers;
mod completion;
mod documents;
mod hover;
mod index;
mod lens;
mod outline;
mod rename;
mod server;
mod text;
mod transport;
mod verify;
mod words;

pub use server::{Settings, serve};
