//! Diagnostics as text with excerpts, and as JSON.
