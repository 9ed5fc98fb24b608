/** Events as updates of a session: a table, and that any event gives what the protocol knows. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { makeUpdates } from "../../../src/api/acpServer/updates.ts"
import { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { runs } from "../../kit/runs.ts"
import { assertConforms } from "./schema.ts"

const updatesOf = (events: ReadonlyArray<AgentEvent>, takesNotices = false) => {
  const push = makeUpdates(takesNotices)
  const updates = events.flatMap(push)
  for (const update of updates) assertConforms("SessionNotification", { sessionId: "s", update })
  return updates
}

const use = { type: "tool_use", toolName: "Bash", toolId: "t1", input: { command: "ls" } } as const
const edited = { path: "/a/b.ts", before: "one", after: "two", line: 7 }
const change = { ...use, toolName: "Edit", kind: "file_change", edits: [edited] } as const
const request = {
  type: "permission_request",
  requestId: "r1",
  toolName: "Bash",
  toolId: "t1",
  kind: "command",
  input: {},
  title: "ls",
  escalated: false,
  scopes: []
} as const

const chunk = (sessionUpdate: string, text: string) => ({ sessionUpdate, content: { type: "text", text } })
const call = { toolCallId: "t1", status: "in_progress", rawInput: { command: "ls" }, locations: [] }
const diff = { type: "diff", path: "/a/b.ts", oldText: "one", newText: "two" }
const output = (text: string) => [{ type: "content", content: { type: "text", text } }]
const ended = { sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" }
const result = { type: "tool_result", toolId: "t1", output: "a\nb\n", isError: false } as const

const table: ReadonlyArray<readonly [string, ReadonlyArray<AgentEvent>, ReadonlyArray<unknown>]> = [
  ["text", [{ type: "text", text: "hi" }], [chunk("agent_message_chunk", "hi")]],
  ["thinking", [{ type: "thinking", text: "hm" }], [chunk("agent_thought_chunk", "hm")]],
  [
    "text of a sub-agent, which is not part of the answer",
    [{ type: "text", text: "hi", parentToolId: "t9" }],
    [{ ...chunk("agent_thought_chunk", "hi"), _meta: { reins: { parentToolId: "t9" } } }]
  ],
  [
    "a call and its output, as code whatever is in it",
    [
      { ...use, kind: "command", title: "list\n`files`" },
      { ...result, output: "a\n```\nb" }
    ],
    [
      { sessionUpdate: "tool_call", ...call, title: "list `files`", kind: "execute" },
      { ...ended, content: output("````\na\n```\nb\n````") }
    ]
  ],
  [
    "a call that is told of again",
    [use, { ...use, title: "ls" }],
    [
      { sessionUpdate: "tool_call", ...call, title: "Bash", kind: "other" },
      { sessionUpdate: "tool_call_update", ...call, title: "ls", kind: "other" }
    ]
  ],
  [
    "a change of a file, which goes on showing what it changed",
    [change, result],
    [
      {
        sessionUpdate: "tool_call",
        ...call,
        title: "Edit",
        kind: "edit",
        locations: [{ path: "/a/b.ts", line: 7 }],
        content: [diff]
      },
      ended
    ]
  ],
  [
    "a change that failed, and shows why",
    [change, { ...result, isError: true, output: "no such text" }],
    [
      {
        sessionUpdate: "tool_call",
        ...call,
        title: "Edit",
        kind: "edit",
        locations: [{ path: "/a/b.ts", line: 7 }],
        content: [diff]
      },
      { ...ended, status: "failed", content: output("```\nno such text\n```") }
    ]
  ],
  [
    "changes that are told with the result",
    [use, { ...result, edits: [{ path: "/new.ts", after: "x" }] }],
    [
      { sessionUpdate: "tool_call", ...call, title: "Bash", kind: "other" },
      { ...ended, content: [{ type: "diff", path: "/new.ts", oldText: null, newText: "x" }] }
    ]
  ],
  [
    "images of a result, where they are there",
    [
      use,
      {
        ...result,
        output: "[image]",
        media: [
          { mediaType: "image/gif", bytes: 42, data: "R0lGODlh" },
          { mediaType: "image/png", bytes: 9_000_000 }
        ]
      }
    ],
    [
      { sessionUpdate: "tool_call", ...call, title: "Bash", kind: "other" },
      {
        ...ended,
        content: [
          ...output("```\n[image]\n```"),
          { type: "content", content: { type: "image", mimeType: "image/gif", data: "R0lGODlh" } }
        ]
      }
    ]
  ],
  ["a result of no call", [result], []],
  [
    "a second result of a call, which is one of none",
    [use, result, result],
    [
      { sessionUpdate: "tool_call", ...call, title: "Bash", kind: "other" },
      { ...ended, content: output("```\na\nb\n```") }
    ]
  ],
  [
    "a plan",
    [
      {
        type: "plan",
        entries: [{ text: "a", status: "completed" }, { text: "b" }, { text: "c", status: "cancelled" }]
      }
    ],
    [
      {
        sessionUpdate: "plan",
        entries: [
          { content: "a", priority: "medium", status: "completed" },
          { content: "b", priority: "medium", status: "pending" },
          { content: "(dropped) c", priority: "medium", status: "completed" }
        ]
      }
    ]
  ],
  [
    "a call that was allowed, and one that was denied",
    [
      use,
      request,
      { type: "permission_decision", requestId: "r1", decision: "allow", by: "caller" },
      { ...request, requestId: "r2" },
      { type: "permission_decision", requestId: "r2", decision: "deny", by: "caller" }
    ],
    [
      { sessionUpdate: "tool_call", ...call, title: "Bash", kind: "other" },
      { sessionUpdate: "tool_call_update", toolCallId: "t1", status: "in_progress" }
    ]
  ],
  [
    "text that is taken back, which is said",
    [{ type: "notice", kind: "text_voided", message: "m", data: { characters: 3 } }],
    [chunk("agent_message_chunk", "\n\n*The agent took back its last 3 characters:*\n\n")]
  ],
  ["a notice that the client does not draw", [{ type: "notice", kind: "retry", message: "again" }], []],
  [
    "what is nothing to a client",
    [
      { type: "unknown", raw: 1 },
      { type: "session", sessionId: "s" }
    ],
    []
  ]
]

describe("the updates of", () => {
  it.each(table)("%s", (_, events, expected) => {
    assert.deepStrictEqual(updatesOf(events), expected)
  })

  it("notices, for a client that draws them", () => {
    assert.deepStrictEqual(updatesOf([{ type: "notice", kind: "retry", message: "again\nnow" }], true), [
      { sessionUpdate: "notice", severity: "warning", title: "again now" }
    ])
  })

  it.each([
    ["move", [{ path: "/a", movedTo: "/b" }], [{ path: "/b" }]],
    ["delete", [{ path: "/a", before: "x" }], [{ path: "/a" }]],
    [
      "edit",
      [
        { path: "/a", before: "x" },
        { path: "/b", after: "y" }
      ],
      [{ path: "/a" }, { path: "/b" }]
    ]
  ])("changes of files, which are a %s", (kind, edits, locations) => {
    const [update] = updatesOf([{ ...use, kind: "file_change", edits }])
    assert.deepStrictEqual([update?.["kind"], update?.["locations"]], [kind, locations])
  })

  it("large inputs and outputs, which are cut", () => {
    const [first, second] = updatesOf([
      { ...use, title: "x".repeat(10_000), input: { text: "x".repeat(300_000) } },
      { ...result, output: "y".repeat(1_000_000) }
    ])
    assert.isUndefined(first?.["rawInput"])
    assert.isBelow(JSON.stringify([first, second]).length, 70_000)
    assert.include(JSON.stringify(second), "934464 characters more")
  })

  it("an input that is nested too deep for JSON", () => {
    let input: unknown = 1
    for (let depth = 0; depth < 20_000; depth += 1) input = [input]
    assert.strictEqual(updatesOf([{ ...use, input }]).length, 1)
  })

  it.prop(
    "any events, in any order, are of the protocol, and none throws",
    [Schema.Array(AgentEvent)],
    ([events]) => {
      updatesOf(events)
      updatesOf(events, true)
    },
    runs(100)
  )
})
