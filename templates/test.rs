//! `cargo test` verifies the model: every property that it states holds.
//!
//! Made by pmc; changes will be lost.

#[test]
fn every_property_of_the_model_holds() {
    verifier::check().assert_verified();
}
