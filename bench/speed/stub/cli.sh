#!/bin/sh
# Any CLI: prints the files that are named beside it, as fast as the pipe takes them. For the official SDK of Claude it
# answers `initialize` first; what else comes on stdin is not read, as a CLI at work does not read it.
case " $* " in
  *" --input-format stream-json "*)
    IFS= read -r request
    id=${request#*\"request_id\":\"}
    id=${id%%\"*}
    printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{"commands":[],"agents":[],"models":[],"account":{}}}}\n' "$id"
    ;;
esac
