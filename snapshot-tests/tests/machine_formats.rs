//! What other programs read: JSON by the schemas in `docs/schemas`, SARIF by what services require, and the places that all
//! formats name.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use pmc::diagnostic::json::to_json;
use pmc::diagnostic::sarif::to_sarif;
use serde_json::Value;
use snapshot_tests::front_end::{check, check_text, models};
use snapshot_tests::schema::Schema;

fn schema(name: &str) -> Schema {
    let path = Path::new("../docs/schemas").join(format!("{name}.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Schema::new(serde_json::from_str(&text).expect("JSON"))
}

#[track_caller]
fn expect_valid(schema: &Schema, document: &Value, of: &str) {
    let complaints = schema.complaints(document);
    assert!(complaints.is_empty(), "{of}:\n{}\n{document:#}", complaints.join("\n"));
}

fn pmc(dir: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pmc-under-test"));
    command.args(arguments.split_whitespace()).current_dir(dir).output().expect("pmc can be started")
}

fn json(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
}

/// A model in a folder, with a file in another that it includes.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, text).expect("a file in it");
    };
    write("models/deep/lock.pml", "#include \"../my lib/enter.h\"\nactive [2] proctype worker() {\n  enter()\n}\n");
    write(
        "models/my lib/enter.h",
        "byte critical;\ninline enter() {\n  critical++; assert(critical == 1); critical--\n}\n",
    );
    write("models/wrong.pml", "byte x;\nactive proctype p() { y = 1 }\n");
    write("models/doubtful.pml", "byte unused;\nactive proctype p() { skip }\n");
    dir
}

const CLAIMS: &str = "byte x; chan q = [1] of { byte }; int grows;
active proctype P() { do :: x = 1 - x; q!x :: grows++ od }
active proctype Q() { do :: q?_ od }
ltl often { [] <> (x == 1) }
ltl bounded { [] (x < 2) }
never stuck { do :: x == 2 -> break :: true od }
trace { do :: q!1 :: q!0 od }
";

#[test]
fn reports_and_trails_follow_their_schemas() {
    let (report, trail) = (schema("pmc-report-1"), schema("pmc-trail-1"));
    let dir = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).expect("a file in it");
    write("claims.pml", CLAIMS);
    write(
        "stuck.pml",
        "chan q = [0] of { byte }; active proctype P() { byte a[2]; atomic { a[0] = 1; a[1] = 2 }; q!1 }",
    );
    write("right.pml", "byte x; active proctype P() { x = 1; assert(x == 1) }");
    write(
        "pair.pml",
        "chan q = [0] of { byte }; byte x;\nactive proctype P() { q!1; there: assert(x == 1) }\nactive proctype Q() { q?x; x = 0 }",
    );
    let runs = [
        ("claims.pml", "--max-states 5000"),
        ("claims.pml", "--ltl often --max-states 5000"),
        ("claims.pml", "--ltl bounded --store bitstate --max-states 1000"),
        ("stuck.pml", "--unreached"),
        ("stuck.pml", "--search dfs --all-errors"),
        ("right.pml", "--no-assert --store hash-compact"),
        ("right.pml", "--non-progress --fair"),
        ("pair.pml", "--all-errors"),
        ("pair.pml", "--towards there --no-reduction"),
    ];
    let mut n_trails = 0;
    for (model, flags) in runs {
        let output = pmc(dir.path(), &format!("verify --engine interpret --format json {model} -- {flags}"));
        let document = json(&output);
        expect_valid(&report, &document, &format!("{model} {flags}"));
        for property in document["properties"].as_array().expect("a list") {
            if let Some(path) = property["violation"]["trail"].as_str() {
                let text = fs::read_to_string(dir.path().join(path)).expect("a trail");
                expect_valid(
                    &trail,
                    &serde_json::from_str(&text).expect("JSON"),
                    &format!("the trail of {model} {flags}"),
                );
                n_trails += 1;
            }
        }
    }
    assert!(n_trails > 4, "{n_trails}");
}

#[test]
fn told_runs_follow_their_schema() {
    let schema = schema("pmc-run-1");
    let dir = tempfile::tempdir().expect("a folder");
    let mut n_steps = 0;
    for (name, model, flags) in [
        ("claims.pml", CLAIMS, "--ltl often --max-states 5000"),
        (
            "stuck.pml",
            "chan q = [0] of { byte }; active proctype P() { byte i, a[2]; for (i in a) { a[i] = 1 } q!1 }",
            "",
        ),
        (
            "pair.pml",
            "mtype = { go }; chan q = [0] of { mtype, byte }; byte x;\nactive proctype P() { q!go(1); assert(x == 1) }\nactive proctype Q() { q?go(x); d_step { x = 0; printf(\"%d\", x) } }",
            "",
        ),
        ("fault.pml", "byte a[2], i = 2; init { i++; a[i] = 1 }", ""),
    ] {
        fs::write(dir.path().join(name), model).expect("a file in it");
        let output = pmc(dir.path(), &format!("verify --engine interpret {name} -- {flags}"));
        assert_eq!(output.status.code(), Some(1), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let document = json(&pmc(dir.path(), &format!("replay --format json {name}")));
        expect_valid(&schema, &document, name);
        n_steps += document["steps"].as_array().expect("a list").len();
    }
    assert!(n_steps > 10, "{n_steps}");
}

#[test]
fn reports_about_several_models_follow_their_schema() {
    let (whole, single) = (schema("pmc-reports-1"), schema("pmc-report-1"));
    let dir = folder();
    let project = "[[model]]\npath = \"models/deep/lock.pml\"\nexpect = \"violated\"\n\n[[model]]\npath = \"models/doubtful.pml\"\nexpect = \"violated\"\n";
    fs::write(dir.path().join("pmc.toml"), project).expect("a file in it");
    fs::write(dir.path().join("n.pml"), "byte x; active [N] proctype p() { x++; assert(x < 3) }")
        .expect("a file in it");
    for line in ["models", "-D N=1..4 n.pml", ""] {
        let document = json(&pmc(dir.path(), &format!("verify --engine interpret --format json {line}")));
        expect_valid(&whole, &document, line);
        let models = document["models"].as_array().expect("a list");
        assert!(models.len() > 1, "{line}: {document:#}");
        for report in models.iter().map(|model| &model["report"]).filter(|report| !report.is_null()) {
            expect_valid(&single, report, line);
        }
    }
}

/// What GitHub and other services require, and what the standard says of the parts that are used.
#[track_caller]
fn expect_sarif(log: &Value) {
    assert_eq!(
        (&log["version"], &log["$schema"]),
        (&"2.1.0".into(), &"https://json.schemastore.org/sarif-2.1.0.json".into())
    );
    for run in log["runs"].as_array().expect("runs") {
        let driver = &run["tool"]["driver"];
        assert_eq!(driver["name"], "pmc");
        assert_eq!(run["columnKind"], "unicodeCodePoints");
        let rules = driver["rules"].as_array().expect("rules");
        let mut ids: Vec<&str> = rules.iter().map(|rule| rule["id"].as_str().expect("an id")).collect();
        for rule in rules {
            for member in ["shortDescription", "fullDescription", "help"] {
                assert!(rule[member]["text"].as_str().is_some_and(|text| !text.is_empty()), "{member}: {rule:#}");
            }
            assert!(rule["helpUri"].as_str().is_some_and(|uri| uri.starts_with("https://")), "{rule:#}");
        }
        for result in run["results"].as_array().expect("results") {
            let id = result["ruleId"].as_str().expect("a rule");
            assert!(ids.contains(&id), "{id}");
            if let Some(index) = result["ruleIndex"].as_u64() {
                assert_eq!(ids[usize::try_from(index).expect("small")], id);
            }
            assert!(["error", "warning"].iter().any(|level| result["level"] == *level), "{result:#}");
            assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()), "{result:#}");
            let flows = result["codeFlows"].as_array().into_iter().flatten();
            let flows = flows.flat_map(|flow| flow["threadFlows"].as_array().expect("a flow"));
            let steps =
                flows.flat_map(|flow| flow["locations"].as_array().expect("steps")).map(|step| &step["location"]);
            let own = ["locations", "relatedLocations"].into_iter().flat_map(|name| result[name].as_array()).flatten();
            let mut n_locations = 0;
            for location in own.chain(steps) {
                expect_location(&location["physicalLocation"]);
                n_locations += 1;
            }
            assert!(n_locations > 0 || result["locations"].is_null(), "{result:#}");
        }
        ids.dedup();
        assert_eq!(ids.len(), rules.len(), "each rule once");
        assert!(run["invocations"][0]["executionSuccessful"].is_boolean());
    }
}

#[track_caller]
fn expect_location(place: &Value) {
    let uri = place["artifactLocation"]["uri"].as_str().expect("a file");
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-._~/%:".contains(c);
    assert!(!uri.is_empty() && uri.chars().all(is_allowed), "{uri}");
    let number = |name: &str| place["region"][name].as_u64();
    let (line, column) = (number("startLine").expect("a line"), number("startColumn").expect("a column"));
    assert!(line > 0 && column > 0, "{place}");
    if let Some((end_line, end_column)) = number("endLine").zip(number("endColumn")) {
        assert!((end_line, end_column) >= (line, column), "{place}");
    }
}

/// Every ill-formed model of the tests, as JSON and as SARIF.
#[test]
fn all_diagnostics_follow_their_schema_and_the_standard() {
    let schema = schema("pmc-diagnostics-1");
    let mut n_results = 0;
    for path in models("bad") {
        let found = check(&path);
        let document = serde_json::from_str(&to_json(&found.sources, &found.diagnostics)).expect("JSON");
        expect_valid(&schema, &document, &path.display().to_string());
        let log: Value = serde_json::from_str(&to_sarif(&found.sources, &found.diagnostics)).expect("JSON");
        expect_sarif(&log);
        let results = log["runs"][0]["results"].as_array().expect("results");
        assert_eq!(results.len(), document["diagnostics"].as_array().expect("a list").len());
        n_results += results.len();
    }
    assert!(n_results > 200, "{n_results}");
    let fine = check_text("fine.pml", "byte x; active proctype p() { x = 1; assert(x == 1) }");
    let log: Value = serde_json::from_str(&to_sarif(&fine.sources, &fine.diagnostics)).expect("JSON");
    expect_sarif(&log);
    assert_eq!(log["runs"][0]["results"], Value::Array(Vec::new()));
}

/// A service that marks lines in files finds them from the folder in which it has started pmc.
#[test]
fn places_are_seen_from_the_working_folder() {
    let dir = folder();
    let model = "models/deep/lock.pml";
    let include = "models/my lib/enter.h";
    let absolute = dir.path().join(model).canonicalize().expect("a path").display().to_string();
    let verify = |model: &str, format: &str, from: &str| {
        let output = pmc(&dir.path().join(from), &format!("verify --engine interpret --format {format} {model}"));
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    for (model, from, expected) in [
        (model, "", include),
        ("./models/../models/deep/lock.pml", "", include),
        (&absolute, "", include),
        ("lock.pml", "models/deep", "../my lib/enter.h"),
        ("../deep/lock.pml", "models/my lib", "../my lib/enter.h"),
    ] {
        let report: Value = serde_json::from_str(&verify(model, "json", from)).expect("JSON");
        assert_eq!(report["properties"][0]["violation"]["location"]["file"], expected, "{model} from {from}");
        let log: Value = serde_json::from_str(&verify(model, "sarif", from)).expect("JSON");
        expect_sarif(&log);
        let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], expected.replace(' ', "%20"), "{model} from {from}");
        for format in ["human", "junit"] {
            let text = verify(model, format, from);
            assert!(text.contains(&format!("{expected}:3")), "{model} from {from}: {text}");
        }
    }
    let replayed = pmc(dir.path(), &format!("replay {model}"));
    assert!(String::from_utf8_lossy(&replayed.stdout).contains(&format!("{include}:3")), "{replayed:?}");
    // Messages about the model, too.
    let wrong = pmc(dir.path(), &format!("check --format json {}", dir.path().join("models/wrong.pml").display()));
    assert!(json(&wrong)["diagnostics"][0]["file"].as_str().is_some_and(|file| file.ends_with("models/wrong.pml")));
    let log = json(&pmc(dir.path(), "check --format sarif models/wrong.pml"));
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "models/wrong.pml");
}

/// The bytes of a verifier do not depend on the folder that it was made from.
#[test]
fn the_crate_of_a_model_is_the_same_from_every_folder() {
    let dir = folder();
    let compile = |from: &str, model: &str| {
        let output = pmc(&dir.path().join(from), &format!("compile -o {} {model}", dir.path().join("crate").display()));
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    };
    compile("", "models/deep/lock.pml");
    let info = fs::read_to_string(dir.path().join("crate/src/lib.rs")).expect("a source");
    let is_told = |text: &str| text.contains("../my lib/enter.h");
    let has_include = is_told(&info)
        || fs::read_dir(dir.path().join("crate/src"))
            .expect("sources")
            .flatten()
            .any(|entry| fs::read_to_string(entry.path()).is_ok_and(|text| is_told(&text)));
    assert!(has_include);
    for (from, model) in [("models/deep", "lock.pml"), ("models/my lib", "../deep/lock.pml")] {
        let arguments = format!("compile --check -o {} {model}", dir.path().join("crate").display());
        let output = pmc(&dir.path().join(from), &arguments);
        assert_eq!(output.status.code(), Some(0), "{from}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Who waits for a report gets the errors of a wrong model in its place.
#[test]
fn a_wrong_model_is_reported_in_every_format() {
    let dir = folder();
    for engine in ["interpret", "auto", "compiled"] {
        let verify = |format: &str| {
            let output = pmc(dir.path(), &format!("verify --engine {engine} --format {format} models/wrong.pml"));
            assert_eq!(output.status.code(), Some(2));
            output
        };
        let log = json(&verify("sarif"));
        expect_sarif(&log);
        assert_eq!(log["runs"][0]["results"][0]["ruleId"], "P0201");
        assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
        let junit = String::from_utf8(verify("junit").stdout).expect("UTF-8");
        assert!(junit.contains("tests=\"1\" failures=\"0\" errors=\"1\"") && junit.contains("error[P0201]"), "{junit}");
        assert!(verify("human").stdout.is_empty() && verify("json").stdout.is_empty());
    }
    let fine = String::from_utf8(pmc(dir.path(), "check --format junit models/deep/lock.pml").stdout).expect("UTF-8");
    assert!(fine.contains("errors=\"0\"") && !fine.contains("<error"), "{fine}");
}

#[test]
fn warnings_can_be_denied_all_at_once() {
    let dir = folder();
    let code = |arguments: &str| pmc(dir.path(), arguments).status.code();
    assert_eq!(code("check models/doubtful.pml"), Some(0));
    assert_eq!(code("check --deny warnings models/doubtful.pml"), Some(2));
    assert_eq!(code("verify --engine interpret --deny warnings models/doubtful.pml"), Some(2));
    assert_eq!(code("check --deny warnings -A unused-variable models/doubtful.pml"), Some(0));
    assert_eq!(code("check --deny warnings models/deep/lock.pml"), Some(0));
    let log = json(&pmc(dir.path(), "check --format sarif --deny warnings models/doubtful.pml"));
    assert_eq!(log["runs"][0]["results"][0]["level"], "error");
    let log = json(&pmc(dir.path(), "check --format sarif models/doubtful.pml"));
    assert_eq!(
        (&log["runs"][0]["results"][0]["level"], &log["runs"][0]["results"][0]["ruleId"]),
        (&"warning".into(), &"unused-variable".into())
    );
}

#[test]
fn a_code_is_explained_in_place_of_a_model() {
    let dir = folder();
    let explain = |arguments: &str| {
        let output = pmc(dir.path(), &format!("explain {arguments}"));
        (
            output.status.code(),
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)),
        )
    };
    let (code, text) = explain("P0203");
    assert!(
        code == Some(0) && text.starts_with("# P0203: ") && text.contains("Wrong:") && text.contains("Right:"),
        "{text}"
    );
    assert_eq!(explain("p0203"), explain("P0203"));
    assert!(explain("late-channel").1.starts_with("# late-channel: "));
    let (code, text) = explain("P9999");
    assert!(code == Some(2) && text.contains("there is no error `P9999`"), "{text}");
    assert_eq!(explain("models/deep/lock.pml").0, Some(0));
    assert_eq!(json(&pmc(dir.path(), "explain --format json P0203"))["code"], "P0203");
}
