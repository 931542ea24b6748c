// @spin -m
// Whether a message is lost depends on who is first, so that sends and receives do not commute, however many messages
// there are now. An invalid end state exists: one message is lost, and Get waits for it.
chan k = [2] of { bit };

active proctype Put() {
  k!1;
  k!1;
  k!1
}

active proctype Get() {
  k?_;
  k?_;
  k?_
}
