//! Processes that do not outlive their test, and that no fault lets run for ever.

use std::io::Read;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// So long a process may run. Only a fault lets it.
const LIMIT: Duration = Duration::from_secs(240);

/// A process that is killed when it is dropped, or at the limit.
pub struct Limited {
    child: Arc<Mutex<Child>>,
    stdout: Mutex<Option<ChildStdout>>,
    /// The thread that watches the process ends when this is dropped.
    _watched: Sender<()>,
}

impl Limited {
    pub fn spawn(command: &mut Command) -> Limited {
        let mut child = command.spawn().expect("the program can be started");
        let stdout = Mutex::new(child.stdout.take());
        let child = Arc::new(Mutex::new(child));
        let (watched, end) = channel::<()>();
        let late = Arc::clone(&child);
        std::thread::spawn(move || {
            if end.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
                eprintln!("killed: it ran for {} s", LIMIT.as_secs());
                kill(&late);
            }
        });
        Limited { child, stdout, _watched: watched }
    }

    /// Runs a program to its end. What it writes goes to files, which are never full.
    pub fn run(command: &mut Command) -> Output {
        let [mut stdout, mut stderr] = [(); 2].map(|()| tempfile::tempfile().expect("a temporary file"));
        let copy = |file: &std::fs::File| Stdio::from(file.try_clone().expect("a second handle"));
        let child = Limited::spawn(command.stdout(copy(&stdout)).stderr(copy(&stderr)));
        let status = child.wait();
        let read = |file: &mut std::fs::File| {
            let mut bytes = Vec::new();
            std::io::Seek::rewind(file).and_then(|()| file.read_to_end(&mut bytes)).expect("what it wrote");
            bytes
        };
        Output { status, stdout: read(&mut stdout), stderr: read(&mut stderr) }
    }

    /// What the process writes; the command said that it is piped.
    pub fn output(&self) -> ChildStdout {
        self.stdout.lock().unwrap_or_else(PoisonError::into_inner).take().expect("piped, and taken once")
    }

    pub fn id(&self) -> u32 {
        self.child.lock().unwrap_or_else(PoisonError::into_inner).id()
    }

    /// How the process ends, by itself or at the limit.
    pub fn wait(&self) -> std::process::ExitStatus {
        loop {
            // The lock is given back between two looks, since the limit needs it too.
            let ended = self.child.lock().unwrap_or_else(PoisonError::into_inner).try_wait();
            if let Some(status) = ended.expect("a process of this test") {
                return status;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

fn kill(child: &Mutex<Child>) {
    let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = child.kill();
    let _ = child.wait();
}

impl Drop for Limited {
    fn drop(&mut self) {
        kill(&self.child);
    }
}
