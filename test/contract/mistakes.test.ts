/** Plausible mistakes of callers in JavaScript, at both doors, and the sentence that each gets. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import * as Approvals from "../../src/agents/Approvals.ts"
import { parseParams as run } from "../../src/contract/AgentExecuteParams.ts"
import { parseOpenParams as session } from "../../src/contract/AgentOpenParams.ts"
import { parseOptions as agent } from "../../src/contract/AgentOptions.ts"

type Parse = (input: unknown) => Result.Result<unknown, Error>

const hello = { prompt: "hello" }

describe("a value of the wrong form", () => {
  const table: ReadonlyArray<readonly [parse: Parse, input: unknown, message: string]> = [
    [run, { prompt: 5 }, "prompt: Expected a text, not a number"],
    [
      run,
      { prompt: ["a"] },
      'prompt: Expected a text, not a list; it is one text: files and images go in "attachments"'
    ],
    [
      run,
      { prompt: { text: "a" } },
      'prompt: Expected a text, not an object; it is one text: files and images go in "attachments"'
    ],
    [run, { ...hello, model: ["opus"] }, "model: Expected a text, not a list"],
    [run, { ...hello, sessionId: null }, "sessionId: Expected a text, not null; leave it out instead"],
    [run, { ...hello, forkSession: "yes" }, "forkSession: Expected true or false, not a text"],
    [run, { ...hello, whenBusy: "queue" }, 'whenBusy: Expected "wait", "fail" or "fork"'],
    [
      run,
      { ...hello, mcpServers: [{ name: "x", command: "y" }] },
      "mcpServers: Expected an object, not a list; servers are named by the keys of an object: mcpServers: { name: { command } }"
    ],
    [
      run,
      { ...hello, mcpServers: { x: "npx y" } },
      "mcpServers.x: Expected an object, not a text; a server is { command, args }, or { url }"
    ],
    [
      run,
      { ...hello, mcpServers: { x: { command: ["npx", "y"] } } },
      'mcpServers.x.command: Expected a text, not a list; arguments go in "args"'
    ],
    [
      run,
      { ...hello, mcpServers: { x: { url: 5 } } },
      "mcpServers.x.url: has the wrong form, or does not go with the other fields"
    ],
    [
      run,
      { ...hello, mcpServers: { x: { command: "x", args: "y z" } } },
      "mcpServers.x.args: Expected a list, not a text; a single one is a list of one"
    ],
    [
      run,
      { ...hello, abortSignal: new AbortController() },
      "abortSignal: Expected an AbortSignal; a controller has it: controller.signal"
    ],
    [run, { ...hello, workingDirectory: "" }, "workingDirectory: Expected a text that is not empty"],
    [
      run,
      { ...hello, workingDirectory: new URL("file:///x") },
      "workingDirectory: Expected a text, not an object; the path of a URL: fileURLToPath(url)"
    ],
    [
      run,
      { ...hello, additionalDirectories: "/x" },
      "additionalDirectories: Expected a list, not a text; a single one is a list of one"
    ],
    [
      run,
      { ...hello, env: ["A=1"] },
      'env: Expected an object, not a list; variables are the keys of an object: { NAME: "value" }'
    ],
    [
      run,
      { ...hello, permissionMode: true },
      'permissionMode: Expected "default", "plan", "accept-edits" or "bypass", not true'
    ],
    [
      run,
      { ...hello, permissionMode: "ask" },
      'permissionMode: Expected "default", "plan", "accept-edits" or "bypass"'
    ],
    [
      run,
      { ...hello, permissionMode: "acceptEdits" },
      'permissionMode: Expected "default", "plan", "accept-edits" or "bypass"; did you mean "accept-edits"?'
    ],
    [
      run,
      { ...hello, allowedTools: "Read,Bash" },
      "allowedTools: Expected a list, not a text; a single one is a list of one"
    ],
    [run, { ...hello, allowedTools: [5] }, "allowedTools.0: Expected a text, not a number"],
    [run, { ...hello, maxTurns: 0 }, "maxTurns: Expected a number above 0"],
    [run, { ...hello, maxTurns: "5" }, "maxTurns: Expected a number, not a text"],
    [run, { ...hello, maxTurns: 1.5 }, "maxTurns: Expected a whole number"],
    [
      run,
      { ...hello, timeouts: 60_000 },
      'timeouts: Expected an object, not a number; the limit of the whole run is one of its fields: timeouts: { total: "10 minutes" }'
    ],
    [
      run,
      { ...hello, timeouts: "10 minutes" },
      'timeouts: Expected an object, not a text; the limit of the whole run is one of its fields: timeouts: { total: "10 minutes" }'
    ],
    [
      run,
      { ...hello, outputSchema: "json" },
      "outputSchema: Expected an object, not a text; it is a JSON Schema, or a schema of Zod, Valibot, ArkType or Effect"
    ],
    [run, { ...hello, retries: -1 }, "retries: Expected a number from 0 to 10"],
    [
      run,
      { ...hello, attachments: "a.png" },
      "attachments: Expected a list, not a text; a single one is a list of one"
    ],
    [
      run,
      { ...hello, account: "me" },
      'account: Expected an object, not a text; its fields are project and user: account: { project: "shop" }'
    ],
    [
      run,
      { ...hello, systemPrompt: { preset: "x" } },
      `systemPrompt: Expected a text, not an object; it is one text, in place of the CLI's own; what follows its own goes in "appendSystemPrompt"`
    ],
    [agent, { command: ["npx", "claude"] }, 'command: Expected a text, not a list; arguments go in "baseArgs"'],
    [agent, { command: "" }, "command: Expected a text that is not empty"],
    [agent, { baseArgs: "claude" }, "baseArgs: Expected a list, not a text; a single one is a list of one"],
    [
      agent,
      { limits: 5 },
      "limits: Expected an object, not a number; the number of agents at once is one of its fields: limits: { total: 5 }"
    ],
    [agent, { promptVia: "args" }, 'promptVia: Expected "stdin" or "argument"'],
    [agent, { telemetry: true }, "telemetry: Expected an object, not true"],
    [agent, { maxLineBytes: "1MB" }, "maxLineBytes: Expected a number, not a text"],
    [
      agent,
      { defaults: { mcpServers: [] } },
      "defaults.mcpServers: Expected an object, not a list; servers are named by the keys of an object: mcpServers: { name: { command } }"
    ],
    [
      session,
      { approvals: () => true },
      'approvals: Expected a list, not a function; a function decides as "onPermission" of reins/promise, or in a rule: approvals: [Approvals.ask(decide)]'
    ],
    [
      session,
      { approvals: "ask" },
      'approvals: Expected a list, not a text; rules are made by Approvals.allow, deny, ask and plan; "permissionMode" allows without asking'
    ],
    [
      session,
      { approvals: true },
      'approvals: Expected a list, not true; rules are made by Approvals.allow, deny, ask and plan; "permissionMode" allows without asking'
    ],
    [
      session,
      { approvals: Approvals.allow() },
      "approvals: Expected a list, not an object; rules stand in a list: approvals: [rule]"
    ],
    [
      session,
      { approvals: [() => true] },
      "approvals.0: Expected a rule made by Approvals.allow, deny, ask or plan; a function decides in a rule: Approvals.ask(decide)"
    ],
    [
      session,
      { questions: () => {} },
      'questions: Expected "off" or an object, not a function; a function that answers stands in an object: questions: { handler: answer }'
    ],
    [
      session,
      { questions: "on" },
      'questions: Expected "off" or an object; a function that answers stands in an object: questions: { handler: answer }'
    ],
    [
      session,
      { tools: ["Read"] },
      `tools.0: Expected a tool: { name, description, inputSchema: JSON Schema of an object, run }; the CLI's own tools are named in "allowedTools"`
    ],
    [session, { tools: { name: "x" } }, "tools: Expected a list, not an object; a single one is a list of one"],
    [
      session,
      { hooks: { PreToolUse: [] } },
      'hooks: Expected a list, not an object; each is one of a list: hooks: [{ event: "PreToolUse", run }]'
    ]
  ]
  it.each(table)("%o %j", (parse, input, message) => {
    const parsed = parse(input)
    assert.strictEqual(Result.isFailure(parsed) ? parsed.failure.message : "it is accepted", message)
  })

  it("is never told with the words of a Schema", () => {
    for (const [, , message] of table)
      assert.notMatch(message, /Expected (string|number|boolean|array|object|a value)\b| \| /)
  })
})
