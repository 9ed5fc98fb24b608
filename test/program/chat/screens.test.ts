/** The screens of a chat at 50, 80 and 120 columns, as they are seen, and once with their colours. */
import { describe, expect, it } from "vitest"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { PermissionRequestEvent } from "../../../src/contract/SessionEvent.ts"
import { begin } from "../../../src/program/blocks.ts"
import { advance, type ChatInput } from "../../../src/program/chat/draw.ts"
import { emptyDrawn, frame } from "../../../src/program/chat/drawChat.ts"
import { exactScope, request, shopSession as session, text, use, withNames } from "../transcriptEvents.ts"
import { keysOf } from "./keys.ts"
import { makeTerminal } from "./smallTerminal.ts"

const rows = 24

const requested = (more: Partial<PermissionRequestEvent>): AgentEvent => request({ scopes: [exactScope], ...more })

const command =
  "npm run build --workspace packages/core -- --mode production --minify --sourcemap && node scripts/verify-bundle.mjs --max-size 250kb --report reports/bundle.json && cp -r dist/. /var/www/site && systemctl --user restart site ; touch PWNED"

const long = `$ cat > deploy.sh <<'EOF'\n${Array.from({ length: 60 }, (_, at) => `  step ${at + 1}`).join("\n")}\n  EOF`

const facts: ChatInput = {
  _tag: "Facts",
  facts: {
    costUsd: 0.42,
    budget: { budget: "day", per: "all", window: "day", unit: "usd", limit: 5, spent: 3.1, reserved: 0 }
  }
}

const busy = [session, facts, "fix the price", "<return>"]

/** A text is typed, a number is that many milliseconds later. */
type Step = string | number | AgentEvent | ChatInput

const screens: ReadonlyArray<readonly [name: string, steps: ReadonlyArray<Step>]> = [
  ["prompt", [session, facts, "add a changelog li"]],
  [
    "streaming",
    [
      ...busy,
      text("The price now depends on the country; before, 1.19 stood in the co"),
      "also do the tests",
      "<return>",
      { _tag: "Delivered", text: "also do the tests", delivery: "steered" },
      "and the docs",
      "<return>",
      { _tag: "Delivered", text: "and the docs", delivery: "queued" },
      "add a changelog li",
      14_000
    ]
  ],
  [
    "tools",
    [...busy, ...["build", "test", "lint", "check"].map((name) => use(name, "Bash", `npm run ${name}`)), 3_000]
  ],
  ["command", [...busy, requested({ preview: `$ ${command}` })]],
  ["long-command", [...busy, requested({ preview: long }), 600]],
  ["long-command-viewed", [...busy, requested({ preview: long }), 600, "v", 100, "<pagedown>", 100, "<pagedown>", 100]],
  [
    "long-command-after-view",
    [...busy, requested({ preview: long }), 600, "v", 1, "<pagedown>", 1, "<pagedown>", 1, "q", 600]
  ],
  [
    "outside-the-sandbox",
    [...busy, requested({ escalated: true, preview: "$ npm install left-pad\nreason: needs the network" })]
  ],
  [
    "mcp",
    [...busy, requested({ kind: "mcp", toolName: "mcp__db__execute", preview: "sql:\n  DROP DATABASE x;\nlimit: 100" })]
  ],
  [
    "hidden",
    [...busy, requested({ command: "ls\u202e\u200b\u200b", preview: "$ ls\\u202e\\u200b\\u200b", scopes: [] })]
  ],
  ["plan", [...busy, requested({ kind: "plan", toolName: "ExitPlanMode", plan: "1. Rates", preview: "1. Rates" })]],
  ["plan-without-text", [...busy, requested({ kind: "plan", toolName: "ExitPlanMode", preview: "not told" })]],
  [
    "unfolded",
    [
      ...busy,
      use("t", "Bash", "npm test"),
      { type: "tool_result", toolId: "t", output: "> vitest run\n\nAssertionError", isError: true },
      "<ctrl-o>",
      100
    ]
  ],
  ["wrong-command", [session, facts, "/modle x", "<return>", "/mo", "<tab>"]]
]

const inputsOf = (step: Step): ReadonlyArray<ChatInput> => {
  if (typeof step === "number") return [{ _tag: "Tick" }]
  if (typeof step === "string") return keysOf(step).map((key) => ({ _tag: "Key", key }))
  return ["_tag" in step ? step : { _tag: "Event", event: step }]
}

const play = (steps: ReadonlyArray<Step>, columns: number, live: boolean) => {
  const terminal = makeTerminal(columns)
  let drawn = emptyDrawn(begin("claude", 0))
  let now = 0
  let last = ""
  for (const step of steps) {
    if (typeof step === "number") now += step
    const scene = { surface: { live, columns }, rows, now, home: "/home/ann" }
    const [next, output] = frame(drawn, advance(drawn, inputsOf(step), scene), scene)
    drawn = next
    terminal.write(output)
    if (output !== "") last = output
  }
  return { lines: terminal.lines(), below: drawn.footer?.lines ?? drawn.shown.split("\n"), last }
}

describe.each([50, 80, 120])("at %i columns", (columns) => {
  it.each(screens)("%s", async (name, steps) => {
    const { lines, below } = play(steps, columns, false)
    for (const line of below) expect(line.length).toBeLessThan(columns)
    expect(below.length).toBeLessThanOrEqual(rows)
    await expect(`${lines.map((line) => line.trimEnd()).join("\n")}\n`).toMatchFileSnapshot(
      `screens/${name}-${columns}.txt`
    )
  })
})

it.each(screens)("%s in colours", async (name, steps) => {
  const { last } = play(steps, 80, true)
  const visible = withNames(last)
    .replaceAll(/\x1b\[(\??\d*[A-Za-z])/g, "<$1>")
    .replaceAll("\r", "")
  await expect(`${visible}\n`).toMatchFileSnapshot(`screens/${name}-80-colours.txt`)
})
