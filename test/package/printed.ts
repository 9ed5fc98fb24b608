/** The examples that users have, by their files, with what they print; `realCli.ts` needs a real CLI. */
export const printed: Readonly<Record<string, string>> = {
  "plain.ts": "I look. \n\nThere is a.txt.\n[ 'what is here?' ]\n",
  "effect.ts": "[ 'Hello!', true ]\n",
  "failure.ts": 'rate_limit RESOURCE_EXHAUSTED "So far "\ntimeout timeout_tool ""\n',
  "onPath.ts": "Looks good.\n{ code: 97 }\n",
  "live.ts": "asks for rm -r build\ncompleted It is cleared.\nfailed \n",
  "replay.ts": "none One. Two.\nrecorded One. Two.\n",
  "testRuntime.ts": "Gladly.\n",
  "testAgent.ts": "[ 'Read' ] The file says hello.\n",
  "arbitraries.ts": "session tool_use text tool_result done\n",
  "modelServer.ts": [
    '429 {"type":"error","error":{"type":"rate_limit_error","message":"scripted 429"}}',
    "[ { type: 'text', text: 'Hello from a script.' } ]",
    "[ '1: one', '2: two' ]\n"
  ].join("\n"),
  "sessionPlain.ts": [
    "$ node --version\ndescription: Show the version of Node.js true false\ncompleted",
    "$ node --version\ndescription: Show the version of Node.js true false\ncompleted",
    "claude Aborted\n"
  ].join("\n"),
  "sessionEffect.ts": "deny rule No node here.\n",
  "gateOfTurns.ts": "The turn waits: 2 turns go on\n",
  "tokenCounter.ts": "{ claude: 30 }\n",
  "useTern.ts": "You said: hello tern-1\nallow rule\ncompleted It is done.\n"
}
