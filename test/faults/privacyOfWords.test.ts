/**
 * Reports of the CLI about a run, and output of others on its stdout, show no secret either: notices and errors. For
 * every CLI value. What the agent itself says is told as it is.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import { errorOf, noticesOf, resultOf } from "../kit/events.ts"
import { makeDirectory } from "../kit/temporary.ts"
import { failureOf, successOf } from "./kit/processRecordings.ts"
import { makeSecretRun } from "./kit/processSecretRuns.ts"
import { assertNone } from "./kit/processSecrets.ts"

const ids = Object.keys(clis) as ReadonlyArray<CliId>

describe.each(ids)("%s", (id) => {
  it.live.each([
    ["malformed_line", undefined],
    ["oversize_line", 10_000]
  ] as const)("tells of a foreign line without the secrets in it: %s", ([kind, maxLineBytes]) =>
    Effect.gen(function* () {
      // Longer than a line may be, and than what is told of it.
      const long = { LONG: "l".repeat(20_000) }
      const { secrets, record, events } = yield* makeSecretRun(id, {
        args: ["--on-stdout", ...successOf(clis[id]).exits],
        env: maxLineBytes === undefined ? {} : long,
        options: maxLineBytes === undefined ? {} : { maxLineBytes }
      })
      const reported = yield* events
      // The program's answer is not JSON, and so does not match the schema.
      assert.strictEqual(
        resultOf(reported).reason,
        clis[id].supports.has("outputSchema") ? "schema_not_met" : "completed"
      )
      const notice = noticesOf(reported).find((found) => found.kind === kind)
      assert.include(JSON.stringify(notice?.data), "<redacted>")
      assertNone(JSON.stringify(reported), secrets, "events")
      assertNone(readFileSync(record, "utf8"), secrets, "recording")
    })
  )

  it.live("fails without the secret that it was told to be wrong", () =>
    Effect.gen(function* () {
      const secret = `sk-${crypto.randomUUID()}`
      const { file, exits, message } = failureOf(clis[id])
      const wire = readFileSync(file.slice("--file=".length), "utf8")
      const text = join(yield* makeDirectory, "said.ndjson")
      writeFileSync(text, wire.replaceAll(message, `The key ${secret} is wrong`))
      const { events, result } = yield* makeSecretRun(id, {
        args: [...exits.slice(1), `--file=${text}`],
        env: { WRONG: Redacted.make(secret) }
      })
      assert.strictEqual(errorOf(yield* events).message, "The key <redacted> is wrong")
      const error = yield* Effect.flip(result)
      assert.include(error.message, "The key <redacted> is wrong")
      assert.notInclude(`${String(error)} ${error.stack} ${JSON.stringify(error.reason)}`, secret)
    })
  )
})
