/** A run at 50, 80 and 120 columns, as it appears, and once with its colours; the last rows are its status. */
import { describe, expect, it } from "vitest"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { begin } from "../../src/program/blocks.ts"
import { statusOf } from "../../src/program/status.ts"
import type { Surface } from "../../src/program/style.ts"
import { draw } from "../../src/program/transcript.ts"
import { bare, done, result, shopSession as session, text, use, withNames } from "./transcriptEvents.ts"

const edit = {
  kind: "file_change",
  edits: [
    {
      path: "/home/ann/shop/src/price.ts",
      line: 1,
      before: 'export const gross = (price: number, country = "DE") => {\n  return price * 1.19\n}\n',
      after:
        'export const gross = (price: number, country = "DE") => {\n  const rate = country === "DE" ? 0.19 : 0.2\n  return Math.round(price * (1 + rate) * 100) / 100\n}\n'
    }
  ]
} as Partial<AgentEvent>

const output = Array.from({ length: 43 }, (_, at) => `output ${at + 1}`).join("\n")

const answer = `## What was wrong

The price was computed **before** the country was known: \`gross\` in \`src/price.ts\` took 1.19 for every country, and the cart rounded only the sum.

1. \`gross\` takes the rate of the country
2. it rounds to cents, as the invoice does

\`\`\`ts
const rate = country === "DE" ? 0.19 : 0.2
\`\`\`

| country | before | after |
|---|--:|--:|
| DE | 119.00 | 119.00 |
| FR | 119.00 | 120.00 |

See [the rates](https://example.com/rates).
`

const nested = (toolId: string, toolName: string, title: string) =>
  use(toolId, toolName, title, { kind: "search", parentToolId: "p" })

/** The events, and for how long it has been silent since. */
const screens: ReadonlyArray<readonly [name: string, events: ReadonlyArray<AgentEvent>, silentMs: number]> = [
  [
    "tools",
    [
      session,
      text("I look at the price file first.\n"),
      use("a", "Read", "/home/ann/shop/src/price.ts"),
      result("a", "…"),
      use("b", "Bash", "npm test --silent"),
      result("b", "1\n2\n3\n4\n5\n6\n7\n8"),
      use("c", "Edit", "/home/ann/shop/src/price.ts", edit),
      result("c", ""),
      use("d", "Bash", "npm run build"),
      use("e", "Bash", "npx tsc -p .")
    ],
    12_000
  ],
  ["answer", [session, text(answer), done()], 0],
  ["writing", [session, text(answer.slice(0, 120))], 2_000],
  [
    "failure",
    [
      session,
      use("a", "Bash", "npm test"),
      result("a", `${output}\nAssertionError: expected 119 to be 120\nTests  1 failed | 11 passed (12)`, true),
      {
        type: "error",
        code: "exited",
        category: "crash",
        retryable: false,
        message:
          "The process ended with exit code 1: --dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons",
        help: "Use another permission mode, or run as an ordinary user."
      }
    ],
    0
  ],
  [
    "waits",
    [
      session,
      {
        type: "notice",
        kind: "retry",
        message: "Attempt 2 of 3 in 34 s: rate limit (429)",
        data: { attempt: 2, delayMs: 34_000 }
      }
    ],
    1_000
  ],
  [
    "sub-agents",
    [
      session,
      use("p", "Task", "Find the callers of gross", { kind: "subagent" }),
      nested("p1", "Grep", "gross("),
      result("p1", "14 matches", false, "p"),
      { type: "text", text: "Found 2 callers: cart.ts, invoice.ts\n", parentToolId: "p" },
      result("p", "done"),
      use("q", "Task", "Check the tests", { kind: "subagent" })
    ],
    41_000
  ]
]

const play = (events: ReadonlyArray<AgentEvent>, silentMs: number, surface: Surface) => {
  let transcript = begin("claude", 0)
  let visible = ""
  let now = 0
  for (const event of events) {
    const [next, more] = draw(transcript, event, { surface, now })
    transcript = next
    visible += more
    now += 600
  }
  return visible + statusOf(transcript, surface, now - 600 + silentMs, false).text
}

describe.each([50, 80, 120])("at %i columns", (columns) => {
  it.each(screens)("%s", async (name, events, silentMs) => {
    const visible = bare(play(events, silentMs, { live: true, color: false, columns }))
    await expect(`${visible.trimEnd()}\n`).toMatchFileSnapshot(`screens/${name}-${columns}.txt`)
  })
})

it.each(screens)("%s in colours", async (name, events, silentMs) => {
  const visible = withNames(play(events, silentMs, { live: true, columns: 80 }))
  await expect(`${visible.trimEnd()}\n`).toMatchFileSnapshot(`screens/${name}-80-colours.txt`)
})
