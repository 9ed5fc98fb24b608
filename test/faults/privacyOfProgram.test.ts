/** The program shows no secret and no prompt, neither in its events nor to people: for every CLI value, when it fails. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import { programPath } from "../kit/agent.ts"
import { makeDirectory } from "../kit/temporary.ts"
import { runProgram } from "../program/programProcess.ts"
import { failureOf, successOf } from "./kit/processRecordings.ts"
import { assertNone, makeSecrets } from "./kit/processSecrets.ts"

const ids = Object.keys(clis) as ReadonlyArray<CliId>

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The CLI as an executable, as the program takes it. */
const writeCli = (file: string, args: ReadonlyArray<string>) => {
  const command = [process.execPath, programPath("tells-environment"), "--times=20", ...args].map(quoted).join(" ")
  writeFileSync(file, `#!/bin/sh\nexec ${command} "$@"\n`)
  chmodSync(file, 0o755)
}

const runWithSecrets = Effect.fnUntraced(function* (
  id: CliId,
  args: ReadonlyArray<string>,
  flags: ReadonlyArray<string>
) {
  const directory = yield* makeDirectory
  const [cli, servers, record] = ["cli", "servers.json", "wire.ndjson"].map((name) => join(directory, name))
  const { prompt, inherited, named, serverVariable, header } = makeSecrets()
  writeCli(String(cli), args)
  const mcpServers = {
    local: { command: "server", env: { PLACE: serverVariable } },
    remote: { url: "http://127.0.0.1:1/mcp", headers: { "X-Place": header } }
  }
  writeFileSync(String(servers), JSON.stringify({ mcpServers }))
  const secrets = { prompt, inherited, named, serverVariable, header }
  const config = clis[id].supports.has("mcpServers") ? ["--mcp-config", String(servers)] : []
  const input = ["--agent", id, "--command", String(cli), ...config, "--cwd", directory]
  const ended = yield* Effect.promise(() =>
    runProgram(["run", ...input, "--record", String(record), "--env", `RUN_TOKEN=${named}`, ...flags, "-"], {
      // Simultaneous runs print one recording: in one state directory they would wait for its session.
      env: { SOME_API_KEY: inherited, XDG_STATE_HOME: join(directory, "state") },
      input: prompt
    })
  )
  return { ...ended, secrets, recording: readFileSync(String(record), "utf8") }
})

describe.concurrent.each(ids)("%s", (id) => {
  const stays = [successOf(clis[id]).file, "--lines=1", "--then=stay"]
  const cases = {
    "it fails as events": [["--then=exit-1"], ["--json"], 1],
    "the CLI gives up": [failureOf(clis[id]).exits, ["--json"], 1],
    "it fails in words": [["--then=exit-1"], [], 1],
    "it takes too long as events": [stays, ["--json", "--timeout", "1500ms"], 124],
    "it takes too long in words": [stays, ["--timeout", "1500ms"], 124]
  } as const

  it.live.each(Object.entries(cases))("is told without secrets when %s", ([_, [args, flags, expected]]) =>
    Effect.gen(function* () {
      const { secrets, stdout, stderr, code, recording } = yield* runWithSecrets(id, args, flags)
      assert.strictEqual(code, expected)
      if (stdout.includes('"stderrTail"')) assert.include(stdout, "<redacted>")
      assertNone(stdout, secrets, "stdout")
      assertNone(stderr, secrets, "stderr")
      assertNone(recording, secrets, "recording")
    })
  )
})
