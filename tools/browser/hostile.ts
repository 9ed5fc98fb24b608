/**
 * A page's worst conversation: each field that is shown is a script, a picture that calls home, markup, invisible characters,
 * or a word of five hundred characters. What is run sets `window.ran`.
 */
import { ask, done, ev, got, me, run, say, session, use } from "./rows.ts"
import { baseState, type Scenario } from "./states.ts"

/** A script by its mark, an event handler by its picture; `where` names the field that ran it. */
export const attack = (where: string) =>
  `<script>window.ran="${where}"</script><img src=x onerror="window.ran='${where}'">"'\`\u202e\u0000${where}`

const a = attack
const link = (href: string) => [
  { t: "p", c: [{ t: "a", href, c: [a("link")] }, " ", { t: "code", text: a("inline") }] }
]
const long = "w".repeat(500)

export const hostile: Scenario = {
  current: "c1",
  state: {
    title: a("title"),
    person: { id: a("person"), name: a("person") },
    agents: [
      { id: "claude", name: a("agent"), version: a("version"), models: [a("model")], signedIn: a("signedIn") },
      { id: a("id"), name: a("name"), problem: a("problem") },
      { id: "x", name: a("name2"), install: a("install") }
    ],
    directories: [{ name: "shop", path: a("path"), branch: a("branch"), changed: 3 }],
    conversations: [
      { id: "c1", title: a("conversation") + long, directory: "shop", agent: a("by"), state: "asking", at: Date.now() },
      { id: "c2", title: a("other"), directory: a("directory"), agent: a("by"), state: a("state"), at: Date.now() }
    ],
    budget: { ...baseState.budget, name: a("budget"), again: a("again") },
    defaults: { agent: "claude", model: a("default"), mode: a("mode"), directory: "shop" }
  },
  rows: [
    { row: "run", turn: "turn-2", agent: a("second") },
    ev("text", { text: a("plainText") }, "turn-2"),
    done({ stderrTail: a("stderr"), outcome: "failed" }, "turn-2"),
    me("m1", `${a("message")} ${long}`, {
      by: a("person"),
      files: [{ fileId: "f1", name: a("file"), kind: "image", bytes: 12 }]
    }),
    run({ agent: a("runAgent"), model: a("runModel") }),
    session(),
    ev("thinking", { text: a("thinking") }),
    use("t1", a("tool"), "command", a("command") + long, { command: a("input") + long }),
    got("t1", `\u001b[31m${a("output")}\u001b[0m\n${"y".repeat(900)}`, true, { raw: { exitCode: 3 } }),
    use("t2", a("mcp"), "mcp", a("mcpTitle"), { [a("key")]: a("value") }),
    use(
      "t3",
      "Edit",
      "file_change",
      a("edited"),
      {},
      { edits: [{ path: a("editPath"), before: a("before"), after: a("after"), movedTo: a("moved") }] }
    ),
    got("t3", "ok"),
    use("t4", "Task", a("kind"), a("task"), {}),
    ev("plan", { entries: [{ text: a("entry"), status: "pending" }] }),
    ev("notice", { kind: "warning", message: a("notice") }),
    {
      ...say(a("text")),
      blocks: {
        segment: 0,
        from: 0,
        list: [
          ...link("javascript:window.ran='href'"),
          ...link(" javascript:window.ran='href'"),
          ...link("data:text/html,<script>alert(1)</script>"),
          ...link("vbscript:x"),
          ...link('https://example.com/"onclick=1'),
          { t: "h", n: 99, c: [a("heading")] },
          { t: "code", lang: a("lang"), text: a("code") },
          { t: "quote", c: [{ t: "p", c: [a("quote"), long] }] },
          { t: "list", ordered: true, start: 7, items: [{ task: true, c: [{ t: "p", c: [a("item")] }] }] },
          {
            t: "table",
            align: [null, "right", a("align")],
            head: Array.from({ length: 40 }, (_, i) => [`${i}${a("cell")}`]),
            rows: [[[a("td")]]]
          },
          { t: a("unknownBlock") },
          { t: "p", c: [{ t: a("unknownInline") }] }
        ]
      }
    },
    { row: "said", key: "k", text: a("said"), file: { fileId: "f2", name: a("saidFile"), bytes: 1 } },
    { row: "host", what: "notice", text: a("host") },
    { row: "host", what: a("what"), text: a("host2") },
    { row: a("unknownRow"), text: "x" },
    ev(a("unknownEvent"), { raw: a("raw") }),
    ev("error", {
      message: a("error"),
      code: a("errorCode"),
      category: a("category"),
      retryable: true,
      help: a("help")
    }),
    ask("r1", {
      toolName: a("askTool"),
      kind: a("askKind"),
      title: a("askTitle"),
      command: a("askCommand"),
      directory: a("askDirectory"),
      reason: a("reason"),
      doubt: a("doubt"),
      escalated: true,
      paths: [a("askPath")],
      scopes: [{ id: a("scope"), label: a("label"), covers: a("covers") }]
    }),
    ask("r2", { toolName: "x", kind: "plan", title: "x", plan: a("plan") }),
    ask("r3", { toolName: "x", kind: "other", title: a("decidedTitle"), input: { a: 1 } }),
    ev("permission_decision", {
      requestId: "r3",
      decision: "deny",
      by: a("decider"),
      person: a("decidedBy"),
      where: a("where"),
      message: a("decision")
    }),
    ev("question", {
      requestId: "q1",
      questions: [
        {
          question: a("question"),
          header: a("header"),
          multiple: true,
          freeText: true,
          options: [{ label: a("option"), description: a("description") }]
        }
      ]
    }),
    ev("question", {
      requestId: "q2",
      questions: [{ question: a("asked"), multiple: false, freeText: true, options: [] }]
    }),
    ev("question_answer", {
      requestId: "q2",
      answers: { [a("asked")]: [a("answered")] },
      by: "caller",
      person: a("answerer")
    }),
    me("m2", a("waiting"), { state: "queued", place: 1 })
  ]
}

/** 5,000 turns. */
export const many: Scenario = {
  current: "c1",
  rows: Array.from({ length: 5000 }, (_, i) => {
    const of = `turn-${i}`
    return [
      me(`m${i}`, `Question ${i + 1}: what does \`part${i % 97}.ts\` do?`),
      run({ turn: of, message: `m${i}` }),
      say(`It reads **line ${i}** and gives it on.\n\n- first\n- second\n\n\`\`\`ts\nconst a${i} = ${i}\n\`\`\``, of),
      done({ durationMs: 1000 + i, totalCostUsd: 0.01 }, of)
    ]
  }).flat()
}
