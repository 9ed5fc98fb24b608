/** Real and likely messages of providers, and their readable part. */
import { assert, describe, it } from "vitest"
import { claude } from "../../src/cli/claude/index.ts"
import { codex } from "../../src/cli/codex/index.ts"
import { gemini } from "../../src/cli/gemini/index.ts"
import { opencode } from "../../src/cli/opencode/index.ts"
import { pi } from "../../src/cli/pi/index.ts"
import { AgentFailed } from "../../src/contract/AgentError.ts"
import { print, runTranscript } from "../cli/transcript.ts"

const nginx =
  "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
const cloudflare =
  '<!DOCTYPE html>\n<!--[if lt IE 7]> <html class="no-js ie6"> <![endif]-->\n<head><title>api.example.org | 524: A timeout occurred</title><style>.x{color:red}</style></head><body><script>var a = "<p>";</script>long</body></html>'
const openai =
  '{"error":{"message":"The prompt is not good.","type":"invalid_request_error","param":null,"code":"bad_param"}}'
const anthropic = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}'
const google = JSON.stringify({
  error: { message: JSON.stringify({ error: { code: 404, message: "no such model" } }), code: 404 }
})

const table: ReadonlyArray<readonly [string, string]> = [
  [nginx, "502 Bad Gateway"],
  [`unexpected status 502 Bad Gateway: ${nginx}`, "unexpected status 502 Bad Gateway: 502 Bad Gateway"],
  [cloudflare, "api.example.org | 524: A timeout occurred"],
  ["<html><body>Bad gateway</body></html>", "Bad gateway"],
  ["<h1>Service &amp; more</h1>", "Service & more"],
  ["<p>Not allowed &lt;here&gt;</p>", "Not allowed <here>"],
  [openai, "The prompt is not good."],
  [`API Error: 400 ${openai}`, "API Error: 400 The prompt is not good."],
  [`API Error: 529 ${anthropic}`, "API Error: 529 Overloaded"],
  [google, "no such model"],
  ['{"error":"invalid_grant","error_description":"Token expired"}', "invalid_grant"],
  ['{"detail":"Not Found"}', "Not Found"],
  ['{"message":"<html><body>Bad gateway</body></html>"}', "Bad gateway"],
  ['boom: {"x":1}', "boom"],
  ['{"x":1}', "an error without a readable message"],
  ["Prompt is too long", "Prompt is too long"],
  ["if a < b and b > c {", "if a < b and b > c {"],
  ["line one\n\nline two", "line one\n\nline two"]
]

describe("the message of a failure", () => {
  it.each(table)("%s", (detail, message) => {
    const failed = new AgentFailed({ code: "x", category: "other", detail })
    assert.strictEqual(failed.message, message)
    assert.strictEqual(failed.detail, detail)
  })

  it("is bounded, and found fast", () => {
    const long = [`<html>${"<".repeat(1_000_000)}`, "{".repeat(1_000_000), `<script>${"<script".repeat(200_000)}`]
    for (const detail of long) {
      const started = performance.now()
      assert.isAtMost(new AgentFailed({ code: "x", category: "other", detail }).message.length, 1_000)
      assert.isBelow(performance.now() - started, 1_000)
    }
  })
})

const init = { type: "system", subtype: "init", session_id: "s" }
const failures = {
  claude: (text: string) => [
    init,
    { type: "result", subtype: "success", is_error: true, result: `API Error: 502 ${text}` }
  ],
  codex: (text: string) => [
    { type: "thread.started", thread_id: "t" },
    { type: "turn.failed", error: { message: `unexpected status 502 Bad Gateway: ${text}` } }
  ],
  gemini: (text: string) => [
    { type: "init", session_id: "s" },
    {
      type: "result",
      status: "error",
      error: { type: "unknown", message: `[API Error: ${JSON.stringify({ error: { message: text, code: 502 } })}]` }
    }
  ],
  opencode: (text: string) => [
    {
      type: "error",
      sessionID: "s",
      error: { name: "APIError", data: { message: `Bad Gateway: ${text}`, statusCode: 502 } }
    }
  ],
  pi: (text: string) => [
    { type: "message_end", message: { role: "assistant", stopReason: "error", errorMessage: `502 ${text}` } }
  ]
}

describe.each([
  ["claude", claude, failures.claude],
  ["codex", codex, failures.codex],
  ["gemini", gemini, failures.gemini],
  ["opencode", opencode, failures.opencode],
  ["pi", pi, failures.pi]
] as const)("%s", (_, cli, lines) => {
  it.each([nginx, cloudflare, openai, anthropic])("shows neither the page nor the JSON of a provider: %s", (text) => {
    const { all } = runTranscript(cli, { chunks: print(lines(text)), exit: { code: 1 } })
    const error = all.find((event) => event.type === "error")
    assert.isDefined(error)
    assert.notMatch(error?.message ?? "<", /[<>{}]/)
    assert.isAbove(error?.message.length ?? 0, 5)
  })
})

it("a retry of Codex shows no page either, and has the whole text in its data", () => {
  const message = `Reconnecting... 2/5 (unexpected status 502 Bad Gateway: ${nginx})`
  const lines = [
    { type: "thread.started", thread_id: "t" },
    { type: "error", message }
  ]
  const { events } = runTranscript(codex, { chunks: print(lines), exit: { code: 1 } })
  const notice = events.find((event) => event.type === "notice")
  assert.deepInclude(notice, { kind: "retry", data: { attempt: 2, maxRetries: 5, text: message } })
  assert.notMatch(notice?.type === "notice" ? notice.message : "<", /[<>{}]/)
})
