/** A request is shown whole before it can be allowed, at any width, and nothing in it can pass for something else. */
import { it as effectIt } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { CliOutput } from "effect/cli"
import { describe, expect, it } from "vitest"
import type { PermissionRequestEvent } from "../../../src/contract/SessionEvent.ts"
import { exact } from "../../../src/contract/text/harmless.ts"
import { emptyChat } from "../../../src/program/chat/chatState.ts"
import { viewFrame } from "../../../src/program/chat/drawChat.ts"
import { type Panel, panelOf, pressPanel } from "../../../src/program/chat/panel.ts"
import { requestFooter } from "../../../src/program/chat/requestFooter.ts"
import { requestRows } from "../../../src/program/chat/requestRows.ts"
import { pressView, type View, viewOf } from "../../../src/program/chat/view.ts"
import { wrap } from "../../../src/program/wrap.ts"
import { foreign, unseenIn } from "../../kit/foreignText.ts"
import { runs } from "../../kit/runs.ts"
import { bare, request } from "../transcriptEvents.ts"

type KeysPanel = Extract<Panel, { readonly _tag: "Keys" }>

const exactly = { id: "exact", label: "this exact command", covers: "Only this exact command, in this directory." }

const requestOf = (more: Partial<PermissionRequestEvent> = {}) =>
  request({ scopes: [exactly], preview: "$ ls", ...more })

const panelFor = (request: PermissionRequestEvent): KeysPanel => {
  const panel = panelOf(request, 0)
  if (panel._tag !== "Keys") throw new Error("a key decides it")
  return panel
}

const draw = (panel: KeysPanel, columns: number, rows = 24, taken = 1) => {
  const surface = { live: false, columns }
  return requestFooter(panel, { surface, rows, now: 0, agent: "claude", count: [1, 1], taken })
}

const press = (panel: KeysPanel, key: string) => pressPanel(panel, { text: key, name: key, ctrl: false, meta: false })

/** The panel, and then, where it is folded, the pages of the view from the first to the last. */
const screensOf = (request: PermissionRequestEvent, columns: number, rows = 24) => {
  const screens: Array<ReadonlyArray<string>> = []
  let [panel, lines] = draw(panelFor(request), columns, rows)
  screens.push(lines)
  const scene = { surface: { live: false, columns }, rows, agent: "claude" }
  let view: View | undefined = viewOf({ _tag: "Request" })
  while (!panel.isWhole) {
    const [warned, input] = press(panel, "y")
    expect({ given: input, warned }).toMatchObject({ given: undefined, warned: { problem: "view all of it first: v" } })
    expect(press(panel, "a")[1]).toBeUndefined()
    const [chat, frame] = viewFrame({ ...emptyChat, panel }, view, scene)
    if (chat.panel?._tag !== "Keys" || chat.view === undefined) throw new Error("it is still asked")
    screens.push(frame)
    panel = chat.panel
    view = pressView(chat.view, { text: undefined, name: "pagedown", ctrl: false, meta: false }, 0)
    if (view === undefined) throw new Error("it is still shown")
  }
  return { screens, panel, after: draw(panel, columns, rows)[1] }
}

/** Without what is ours in a row: the two cells at its beginning, and the indent of a further row. */
const textOf = (rows: ReadonlyArray<string>, indent: number) =>
  rows.reduce((text, row) => `${text}${row.startsWith("↳ ") ? row.slice(indent) : `\n${row.slice(2)}`}`, "").slice(1)

const sizes = [
  [80, 24],
  [50, 24],
  [20, 24],
  [20, 14]
] as const

const command =
  "npm run build --workspace packages/core -- --mode production --minify --sourcemap && cp -r dist/. /var/www/site ; touch PWNED"

describe("a request", () => {
  it("is wrapped at blanks, and its end is seen, at 80, 50 and 20 columns", () => {
    const visible = (columns: number) => screensOf(requestOf({ preview: `$ ${command}` }), columns).screens[0] ?? []
    expect(visible(80)).toEqual([
      "? claude asks to run a command (Bash)",
      "  $ npm run build --workspace packages/core -- --mode production --minify ",
      "↳   --sourcemap && cp -r dist/. /var/www/site ; touch PWNED",
      "a always: Only this exact command, in this directory.",
      "y yes, once · a always · n no · m no, and say why"
    ])
    expect(visible(50)).toEqual([
      "? claude asks to run a command (Bash)",
      "  $ npm run build --workspace packages/core -- ",
      "↳   --mode production --minify --sourcemap && cp ",
      "↳   -r dist/. /var/www/site ; touch PWNED",
      "a always: Only this exact command, in this ",
      "↳   directory.",
      "y yes, once · a always · n no · m no, and say why"
    ])
    expect(visible(20)).toEqual([
      "? claude asks to ",
      "  run a command ",
      "  (Bash) · 14 rows",
      ...[
        "  $ npm run build ",
        "↳ --workspace ",
        "↳ packages/core -- ",
        "↳ --mode ",
        "↳ production ",
        "↳ --minify ",
        "  ── 2 more · v ──",
        "↳ /var/www/site ; ",
        "↳ touch PWNED"
      ],
      "a always: Only ",
      "↳ this exact ",
      "↳ command, in this ",
      "↳ directory.",
      "It can be allowed ",
      "when its last row ",
      "was shown: v",
      "v view all · n no",
      "m no, and say why"
    ])
  })

  it("that does not fit says how much is not shown, and cannot be allowed before that was", () => {
    const preview = Array.from({ length: 62 }, (_, index) => `$ line ${index + 1}`).join("\n")
    const { screens, panel, after } = screensOf(requestOf({ preview }), 80)
    expect(screens[0]?.slice(0, 2)).toEqual(["? claude asks to run a command (Bash) · 63 rows", "  $ line 1"])
    expect(screens[0]?.slice(9, 12)).toEqual(["  $ line 9", "  ───── 46 rows not shown · v view ─────", "  $ line 56"])
    expect(screens[0]?.slice(-4)).toEqual([
      "  $ line 62",
      "a always: Only this exact command, in this directory.",
      "It can be allowed when its last row was shown: v",
      "v view all · n no · m no, and say why"
    ])
    expect(screens[1]?.at(-1)).toBe("rows 1–22 of 63 · q back · ↑↓ PgDn · / find")
    expect(screens.at(-1)?.slice(-3)).toEqual([
      "  $ line 62",
      "a always: Only this exact command, in this directory.",
      "rows 42–63 of 63 · end · q back · ↑↓ PgDn · / find"
    ])
    expect(after.at(-1)).toBe("y yes, once · a always · v view all · n no · m no, and say why")
    expect(press(panel, "y")[1]).toMatchObject({ answer: { decision: "allow" } })
  })

  it("outside of the sandbox says so in capitals", () => {
    expect(screensOf(requestOf({ escalated: true }), 80).screens[0]?.[0]).toBe(
      "? claude asks to run a command OUTSIDE ITS SANDBOX (Bash)"
    )
  })

  it("that cannot be remembered says so, and offers it not", () => {
    expect(screensOf(requestOf({ scopes: [] }), 80).screens[0]?.slice(-2)).toEqual([
      "! It is not certain what it does, so no answer can be remembered.",
      "y yes, once · n no · m no, and say why"
    ])
  })

  it("with a plan that is not told can only be denied", () => {
    expect(screensOf(requestOf({ kind: "plan", toolName: "ExitPlanMode" }), 80).screens[0]).toEqual([
      "? claude asks to carry out its plan (ExitPlanMode)",
      "  $ ls",
      "Its plan is not in the request, so it can only be denied.",
      "n no · m no, and say why"
    ])
  })

  it("with a plan says what the key for its edits covers", () => {
    const edits = {
      id: "edits",
      label: "this plan and its edits",
      covers: "This plan, and its edits until the turn ends."
    }
    const plan = { kind: "plan", toolName: "ExitPlanMode", plan: "1. Do", preview: "1. Do" } as const
    expect(screensOf(requestOf({ ...plan, scopes: [exactly, edits] }), 80).screens[0]).toEqual([
      "? claude asks to carry out its plan (ExitPlanMode)",
      "  1. Do",
      "e This plan, and its edits until the turn ends.",
      "y carry it out · e carry it out, edits too · o outline first · n no",
      "m no, and say why"
    ])
  })

  it("says until when it waits", () => {
    expect(screensOf(requestOf({ deadlineMs: 65_000 }), 80).screens[0]?.at(-2)).toBe("decided without you in 1 min 5 s")
  })

  it("under a text that was begun still has room", () => {
    const [, lines] = draw(panelFor(requestOf({ preview: "x\n".repeat(100) })), 80, 24, 9)
    expect(lines.length).toBeLessThanOrEqual(24 - 9)
  })
})

const words = Arbitrary.schema(
  Schema.Literals(["ls ", "  ", "\t", "rm -rf ~", "\n", "日本", "x".repeat(90), "+ ", "↳ ", "? "])
)
const previews = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.map(Arbitrary.array(words, { maxLength: 12 }), (pieces) => pieces.join("")),
    { maxLength: 4 }
  ),
  (pieces) => pieces.join("\n")
)

describe("whatever is asked", () => {
  const whole = ([reported, text, toolName]: readonly [string, string, string]) => {
    const request = requestOf({ preview: reported + text, toolName, scopes: [] })
    for (const [columns, rows] of sizes) {
      const { screens } = screensOf(request, columns, rows)
      const all = requestRows(request, columns - 1)
      for (const line of screens.flat()) {
        expect(unseenIn(bare(line))).toEqual([])
        expect(CliOutput.displayWidth(line)).toBeLessThanOrEqual(columns - 1)
      }
      for (const [at, lines] of screens.entries()) expect(lines.length).toBeLessThanOrEqual(at === 0 ? rows - 1 : rows)
      // Every row, in order, on one of the screens.
      let at = 0
      for (const line of screens.flat()) if (line === all[at]) at += 1
      expect(at).toBe(all.length)
      const note = all.findIndex((row) => row.startsWith("! "))
      const visible = textOf(all.slice(0, note), columns < 32 ? 2 : 4)
      expect(visible.endsWith(exact(reported + text).replaceAll("\t", "  "))).toBe(true)
    }
  }
  effectIt.prop("is shown with all its characters, at any width", [previews, foreign, foreign], whole, runs(100))
})

describe("wrap", () => {
  it.each([
    ["", 5, [""]],
    ["ab cd", 5, ["ab cd"]],
    ["ab cde", 5, ["ab ", "cde"]],
    ["abcdefg", 3, ["abc", "def", "g"]],
    ["a      b", 3, ["a  ", "   ", " b"]],
    ["日本語", 5, ["日本", "語"]],
    [" abc日", 4, [" ", "abc", "日"]],
    ["a 👩‍👩‍👧b", 3, ["a ", "👩‍👩‍👧b"]]
  ] as const)("%j in %i cells", (line, width, rows) => expect(wrap(line, width)).toEqual(rows))
})
