/**
 * Wrong calls from JavaScript, where no compiler stands before them: what each says. Those of `createAgent` throw a
 * `TypeError`, all others fail with `invalid_params`, or `aborted` where it was closed; the stack begins at the call.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { AgentRuntime, Claude } from "../../src/index.ts"
import {
  AgentError,
  type CliId,
  createAcpAgent,
  createAgent,
  mayRetry,
  type ParamsOf,
  type PlainAgent,
  type PlainSession
} from "../../src/promise.ts"
import { FakeCli, LiveStep } from "../../src/testing.ts"
import { rejection } from "./plain.ts"

type Params = ParamsOf<"claude">

/** The value as a caller in JavaScript hands it over. */
const js = <A>(value: unknown): A => value as A

const created: ReadonlyArray<readonly [name: string, call: () => unknown, message: string | RegExp]> = [
  [
    "no name",
    () => createAgent(js<CliId>(undefined)),
    /the first argument is not one of claude, gemini, codex, opencode, pi$/
  ],
  [
    "an unknown name",
    () => createAgent(js<CliId>("gpt")),
    /"gpt" is not one of claude, gemini, codex, opencode, pi; `reins agents` lists the agents that it knows besides them$/
  ],
  [
    "a slip in the name of an agent of the protocol",
    () => createAgent(js<CliId>("copliot")),
    /"copliot" is not one of claude, gemini, codex, opencode, pi; did you mean "copilot"\?$/
  ],
  [
    "options before the name",
    () => createAgent(js<CliId>({ model: "opus" })),
    /is not one of claude, gemini, codex, opencode, pi; the options follow the name: createAgent\("claude", { … }\)$/
  ],
  [
    "options below the name",
    () => createAgent(js<CliId>({ codex: {} })),
    /; the options follow the name: createAgent\("codex", { … }\)$/
  ],
  ...[{ acp: { command: "qwen" } }, { command: "qwen" }, "acp"].map(
    (first) =>
      [
        `an agent of the protocol: ${JSON.stringify(first)}`,
        () => createAgent(js<CliId>(first)),
        /; an agent of the Agent Client Protocol is made by createAcpAgent\({ command: "qwen", args: \["--acp"\] }\)$/
      ] as const
  ),
  ...["model", "permissionMode", "cwd"].map(
    (name) =>
      [
        `${name} beside the defaults`,
        () => createAgent("claude", js({ [name]: "plan" })),
        /: is not a known field; it is for runs, of which "defaults" holds for all: defaults: \{ (model|permissionMode|workingDirectory): … \}$/
      ] as const
  ),
  [
    "a key",
    () => createAgent("claude", js({ apiKey: "x" })),
    /apiKey: is not a known field; a key is a variable of the CLI: env: \{ values: \{ NAME: key \} \}; see also "billing"$/
  ],
  ["null for options", () => createAgent("claude", js(null)), /the options are not an object$/],
  ["a model for options", () => createAgent("claude", js("opus")), /the options are not an object$/],
  ["an unknown option", () => createAgent("claude", js({ comand: "x" })), /comand: is not a known field/],
  [
    "variables without `values`",
    () => createAgent("claude", { env: js({ FOO: "1" }) }),
    /env\.FOO: is not a known field/
  ],
  [
    "a time limit in words",
    () => createAgent("claude", { timeoutMs: js("soon") }),
    /timeouts\.idle: Expected a duration above 0/
  ],
  [
    "an invalid list",
    () => createAgent("claude", { baseArgs: js("--x") }),
    /baseArgs: Expected a list, not a text; a single one is a list of one$/
  ],
  [
    "a gate for a list of them",
    () => createAgent("claude", { gates: js({}) }),
    /gates: Expected a list, not an object; a single one is a list of one$/
  ],
  [
    "a function for a gate",
    () => createAgent("claude", { gates: [js(() => {})] }),
    /gates\.0: Expected a gate: { name, admit }$/
  ],
  [
    "a function for an observer",
    () => createAgent("claude", { observers: [js(() => {})] }),
    /observers\.0: Expected an observer/
  ],
  ["no command", () => createAcpAgent(js({ args: ["--acp"] })), /the options are not an object with a command$/],
  ["a text of arguments", () => createAcpAgent({ command: "x", args: js("--acp") }), /args: is not a list of texts$/]
]

describe("creating an agent", () => {
  it.each(created)("%s", (_, call, message) => {
    const name = call.toString().includes("createAcpAgent") ? "createAcpAgent" : "createAgent"
    assert.throws(call, TypeError, message)
    try {
      call()
    } catch (error) {
      assert.match(String(error), new RegExp(`^TypeError: ${name}: `))
      assert.include(error instanceof Error ? error.stack?.split("\n")[1] : "", import.meta.filename)
    }
  })
})

const fails = async (call: Promise<unknown>, message: string | RegExp) => {
  const error = await rejection(call)
  assert.instanceOf(error, AgentError)
  const text = error.message.replace(/^claude: /, "")
  if (typeof message === "string") assert.strictEqual(text, message)
  else assert.match(text, message)
  assert.notInclude(error.message, "s3cret")
  assert.notInclude(error.help, "undefined")
}

const runs: ReadonlyArray<readonly [name: string, params: unknown, message: string | RegExp]> = [
  ["no params", undefined, "params: is not an object"],
  ["a prompt for params", "hello", 'params: is not an object; the text is a field of one: { prompt: "hello" }'],
  ["no prompt", {}, "prompt: is missing"],
  [
    "a prompt that is an object",
    { prompt: { text: "s3cret" } },
    /^prompt: Expected a text, not an object; it is one text/
  ],
  [
    "a prompt that is a list",
    { prompt: ["hello"] },
    'prompt: Expected a text, not a list; it is one text: files and images go in "attachments"'
  ],
  [
    "prompts to come",
    { prompt: new ReadableStream() },
    /^prompt: Expected a text, not an object; a session takes several prompts/
  ],
  [
    "a preset of prompts",
    { prompt: "x", systemPrompt: { type: "preset", preset: "x", append: "y" } },
    /^systemPrompt: Expected a text, not an object; it is one text, .* goes in "appendSystemPrompt"$/
  ],
  ["an empty prompt", { prompt: " " }, "prompt: is empty"],
  ["a name of another library", { prompt: "x", cwd: "/" }, /^cwd: is not a known field/],
  ["a number as a text", { prompt: "x", maxTurns: "3" }, "maxTurns: Expected a number, not a text"],
  ["a number below 1", { prompt: "x", maxTurns: -1 }, "maxTurns: Expected a number above 0"],
  [
    "an unknown mode",
    { prompt: "x", permissionMode: "yolo" },
    /^permissionMode: Expected "default", "plan", "accept-edits" or "bypass"; did you mean "bypass"/
  ],
  [
    "a controller for its signal",
    { prompt: "x", abortSignal: new AbortController() },
    /^abortSignal: Expected an AbortSignal; a controller has it: controller\.signal$/
  ],
  [
    "a number of timeouts",
    { prompt: "x", timeouts: 5_000 },
    /^timeouts: Expected an object, not a number; .*timeouts: { total: "10 minutes" }$/
  ],
  [
    "a list of servers",
    { prompt: "x", mcpServers: [{ command: "x" }] },
    /^mcpServers: Expected an object, not a list; servers are named by the keys/
  ],
  [
    "a server of another form",
    { prompt: "x", mcpServers: { a: { type: "stdio", command: "x" } } },
    /^mcpServers\.a\.type: is not a known field/
  ],
  ["a number as a variable", { prompt: "x", env: { PORT: 3000 } }, "env.PORT: Expected a text, or a Redacted one"],
  ["an object as a variable", { prompt: "x", env: { KEY: { value: "s3cret" } } }, /^env\.KEY: Expected /],
  [
    "a list of variables",
    { prompt: "x", env: ["KEY=s3cret"] },
    /^env: Expected an object, not a list; variables are the keys/
  ],
  [
    "a text of tools",
    { prompt: "x", allowedTools: "Read" },
    "allowedTools: Expected a list, not a text; a single one is a list of one"
  ],
  [
    "a schema in an object",
    { prompt: "x", outputSchema: { name: "a", schema: { type: "object" } } },
    'outputSchema: is an object around a schema: pass what is in its "schema"'
  ],
  ["a schema of nothing", { prompt: "x", outputSchema: {} }, /^outputSchema: has no keyword of JSON Schema/],
  [
    "a callback of sessions",
    { prompt: "x", onPermission: () => {} },
    /is not a known field; it is for live sessions: ag/
  ]
]

describe("a run", () => {
  it.each(runs)("%s", async (_, params, message) => {
    await using agent = createAgent("claude", { command: "/no/such/cli" })
    await fails(agent.run(js<Params>(params)), message)
    const messages: Array<string> = []
    for await (const event of agent.execute(js<Params>(params)))
      if (event.type === "error") messages.push(event.message)
    assert.lengthOf(messages, 1)
    if (typeof message === "string") assert.strictEqual(messages[0], message)
  })
})

const runOptions: ReadonlyArray<readonly [name: string, options: unknown, message: string | RegExp]> = [
  ["a function for options", () => {}, "options: is a function: pass { onEvent: … }"],
  ["null for options", null, "options: is not an object"],
  ["an unknown option of a run", { onEvents: () => {} }, 'onEvents: is not a known field; did you mean "onEvent"?'],
  ["an option for its function", { onEvent: "log" }, "onEvent: Expected a function"]
]

it.each(runOptions)("a run is not started with %s", async (_, options, message) => {
  await using cli = await FakeCli.install(FakeCli.claude([]))
  await using agent = createAgent("claude", { command: cli.command })
  await fails(agent.run({ prompt: "x" }, js(options)), message)
  const layer = Claude.layer({ command: cli.command }).pipe(Layer.provide(NodeServices.layer))
  const run = AgentRuntime.use((service) => service.run({ prompt: "x" }, js(options)))
  await fails(Effect.runPromise(Effect.provide(run, layer)), message)
  assert.isEmpty(await cli.calls())
})

const opens: ReadonlyArray<readonly [name: string, params: unknown, message: string | RegExp]> = [
  ["a prompt for params", "hello", "params: is not an object"],
  ["null", null, "params: is not an object"],
  ["a prompt", { prompt: "hello" }, /^prompt: is not a known field/],
  ["a callback that is not a function", { onPermission: true }, "onPermission: is not a function"],
  ["an answer for its function", { onQuestion: "yes" }, "onQuestion: is not a function"],
  [
    "a function for rules",
    { approvals: () => true },
    /^approvals: Expected a list, not a function; .*"onPermission".*Approvals\.ask\(decide\)\]$/
  ],
  ["a function for a rule", { approvals: [() => true] }, /^approvals\.0: Expected a rule made by Approvals/],
  ...[
    ["a text of tools", { _tag: "Allow", match: { tools: "Bash" } }, "match.tools: Expected a list"],
    [
      "an unknown field",
      { _tag: "Deny", match: { tool: ["x"] } },
      'match.tool: is not a known field; did you mean "tools"?'
    ],
    [
      "the home directory",
      { _tag: "Deny", match: { paths: ["a", "~/x"] } },
      "match.paths.1: Expected a path that does not begin with ~"
    ],
    [
      "an unknown kind",
      { _tag: "Ask", options: { match: { kinds: ["shell"] } } },
      "options.match.kinds.0: is not a known kind of tool"
    ],
    [
      "a number for a command",
      { _tag: "Allow", match: { commands: [1] } },
      "match.commands.0: Expected a text or a RegExp"
    ],
    [
      "an unknown option",
      { _tag: "Ask", options: { dedline: 1 } },
      'options.dedline: is not a known field; did you mean "deadline"?'
    ],
    ["no options", { _tag: "Plan", options: 1 }, "options: is not an object"],
    ["a word for a handler", { _tag: "Ask", handler: "allow", options: {} }, "handler: is not a function"],
    ["a number for a message", { _tag: "Deny", match: {}, message: 1 }, "message: Expected a text"]
  ].map(([name, rule, problem]) => [`a rule with ${name}`, { approvals: [rule] }, `approvals.0.${problem}`] as const),
  ["a tool without its parts", { tools: [{ name: "t" }] }, /^tools\.0: Expected a tool: { name, description/]
]

describe("opening a session", () => {
  it.each(opens)("%s", async (_, params, message) => {
    await using agent = createAgent("claude", { command: "/no/such/cli" })
    await fails(agent.open(js(params)), message)
  })
})

type Call = (session: PlainSession, agent: PlainAgent) => Promise<unknown>

const failureOf = async (events: AsyncIterable<unknown>) => {
  for await (const event of events) {
    const { type, message } = js<{ type: string; message: string }>(event)
    if (type === "error") return message
  }
  return undefined
}

const sessions: ReadonlyArray<readonly [name: string, call: Call, message: string | RegExp]> = [
  ["no text", (session) => session.send(js(undefined)), "text: is not text"],
  ["a text in an object", (session) => session.send(js({ text: "x" })), "text: is not text"],
  ["no model", (session) => session.setModel(js(undefined)), "model: is not text"],
  [
    "an unknown mode",
    (session) => session.setPermissionMode(js("yolo")),
    'permissionMode: "yolo" is not one of default, plan, accept-edits, bypass; did you mean "bypass"?'
  ],
  [
    "no answer",
    (session) => session.decide("1", js(undefined)),
    'decision: is missing: an answer is an object such as { decision: "allow" }'
  ],
  [
    "a word for an answer",
    (session) => session.decide("1", js("allow")),
    'decision: is missing: an answer is an object such as { decision: "allow" }'
  ],
  [
    "an answer of another SDK",
    (session) => session.decide("1", js({ behavior: "allow" })),
    'decision: is missing; it is what other SDKs call "behavior"'
  ],
  [
    "an unknown decision",
    (session) => session.decide("1", js({ decision: "yes" })),
    "decision: must be allow, deny or outline"
  ],
  [
    "an id that never was",
    (session) => session.decide("nope", { decision: "allow" }),
    "requestId: is of no request or question of this session"
  ],
  [
    "an id that never was, of a question",
    (session) => session.answer("nope", undefined),
    "requestId: is of no request or question of this session"
  ],
  [
    "an event for its id",
    (session) => session.decide(js({ requestId: "1" }), { decision: "allow" }),
    "requestId: is not text: pass the `requestId` of the event"
  ],
  ["a word for answers", (session) => session.answer("1", js("red")), /^answers: must be an object with a list/]
]

const late: ReadonlyArray<readonly [name: string, call: Call, message: string]> = [
  ["send", (session) => session.send("x"), "The session is closed"],
  ["setModel", (session) => session.setModel("x"), "The session is closed"],
  ["run", (_, agent) => agent.run({ prompt: "x" }), "The agent is closed"],
  ["open", (_, agent) => agent.open(), "The agent is closed"]
]

it("an open session refuses invalid input, and a closed one all of it", async () => {
  await using cli = await FakeCli.install(FakeCli.live("claude", [[LiveStep.text("hi")]]))
  await using agent = createAgent("claude", { command: cli.command })
  const session = await agent.open()
  for (const [, call, message] of sessions) await fails(call(session, agent), message)
  const refused = await rejection(session.setModel(js(undefined)))
  assert.strictEqual(refused instanceof AgentError ? refused.help : "", "Correct `model`; the call had no effect.")
  for (const prompt of [undefined, { prompt: "x" }]) {
    assert.strictEqual(await failureOf(session.turn(js(prompt))), "prompt: is not text")
  }
  await agent.close()
  for (const [, call, message] of late) await fails(call(session, agent), message)
  assert.strictEqual(await failureOf(session.turn("x")), "The session is closed")
  assert.strictEqual(await failureOf(agent.execute({ prompt: "x" })), "The agent is closed")
  assert.isFalse(await session.interrupt())
})

it("mayRetry is false for anything but an AgentError", () => {
  for (const error of [undefined, null, "x", new Error("x"), {}]) assert.isFalse(mayRetry(error))
})
