#!/bin/sh
# Claude Code in a live session without turns: answers `initialize`, and leaves at the end of its input.
IFS= read -r request
id=${request#*\"request_id\":\"}
id=${id%%\"*}
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{"commands":[],"agents":[],"models":[],"account":{}}}}\n' "$id"
while IFS= read -r line; do :; done
