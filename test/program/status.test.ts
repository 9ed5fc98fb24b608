/** The status below a live transcript: what it says when, and that wiping it leaves nothing. */
import { describe, expect, it } from "vitest"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { begin } from "../../src/program/blocks.ts"
import { nothingBelow } from "../../src/program/redraw.ts"
import { printable } from "../../src/program/sequences.ts"
import { statusOf } from "../../src/program/status.ts"
import type { Surface } from "../../src/program/style.ts"
import { draw } from "../../src/program/transcript.ts"
import { bare, result, session, text, use } from "./transcriptEvents.ts"

const surface: Surface = { live: true, columns: 40 }

const thinking = (text: string): AgentEvent => ({ type: "thinking", text })

/** The status so long after the last event; the events all come at 0. */
const statusAfter = (events: ReadonlyArray<AgentEvent>, afterMs: number, isStopping = false) => {
  const transcript = events.reduce((before, event) => draw(before, event, { surface, now: 0 })[0], begin("claude", 0))
  return statusOf(transcript, surface, afterMs, isStopping)
}

describe("the status of", () => {
  it.each([
    ["a run that has not spoken", [], 2000, "⠋ starting… 2 s"],
    ["a silent model", [session], 12_000, "\n⠋ thinking… 12 s"],
    ["a running tool", [session, use("a", "Bash", "npm test")], 3000, "⠋ Run   npm test  3 s"],
    ["two of them", [session, use("a", "Bash", "x"), use("b", "Bash", "y")], 1000, "⠋ Run   x  1 s\n⠋ Run   y  1 s"],
    ["a title that is too long", [session, use("a", "Bash", "z".repeat(99))], 1000, `⠋ Run   ${"z".repeat(25)}…  1 s`],
    [
      "more than fit",
      [session, ...["a", "b", "c", "d", "e"].map((id) => use(id, "Bash", id))],
      1000,
      "⠋ Run   a  1 s\n⠋ Run   b  1 s\n⠋ Run   c  1 s\n  … and 2 more"
    ],
    ["an answer whose end is not known", [session, text("Hello.\n")], 1000, "\nHello."],
    ["an answer that has stopped", [session, text("Hello.\n")], 2000, "\nHello.\n\n⠋ writing… 2 s"]
  ])("%s", (_, events, afterMs, expected) => {
    expect(bare(statusAfter(events as ReadonlyArray<AgentEvent>, afterMs).text)).toBe(expected)
  })

  it("a run that is being stopped", () => {
    expect(bare(statusAfter([session, use("a", "Bash", "x")], 1000, true).text)).toBe("⠋ stopping… 1 s")
  })

  it("a model that has just spoken is nothing", () => {
    expect(statusAfter([session], 200)).toEqual(nothingBelow)
    expect(statusAfter([session, thinking("Hel")], 1000)).toEqual(nothingBelow)
  })

  it("a progress notice names what is going on", () => {
    const progress: AgentEvent = { type: "notice", kind: "progress", message: "indexing\n" }
    expect(bare(statusAfter([session, progress], 1000).text)).toBe("\n⠋ thinking… 1 s · indexing")
  })
})

describe("in the middle of a line", () => {
  it("stands behind the text and gives the cursor back", () => {
    const { text: drawn, wipe } = statusAfter([session, thinking("Hel")], 2000)
    expect(bare(drawn)).toBe("\x1b7 ⠋ 2 s\x1b8")
    expect(printable(wipe)).toBe("\x1b[K")
  })

  it.each([35, 40])("is left out where the line has no room: column %d", (column) => {
    expect(statusAfter([session, thinking("x".repeat(column))], 2000).text).toBe("")
  })

  it("is back on the next row of a wrapped line", () => {
    expect(statusAfter([session, thinking("x".repeat(45))], 2000).text).not.toBe("")
  })
})

describe("wiping", () => {
  it.each([
    ["one line", [use("a", "Bash", "x"), result("a", "")], "\r\x1b[K"],
    [
      "three lines",
      [session, use("a", "Bash", "x"), use("b", "Bash", "y"), use("c", "Bash", "z")],
      `\r\x1b[K${"\x1b[A\x1b[K".repeat(2)}`
    ],
    ["a line below a gap", [session, thinking("Hello.\n")], "\r\x1b[K\x1b[A\x1b[K"],
    ["an answer and a line", [session, text("Hello.\n")], `\r\x1b[K${"\x1b[A\x1b[K".repeat(3)}`]
  ])("%s goes back to where they began", (_, events, wipe) => {
    expect(printable(statusAfter(events as ReadonlyArray<AgentEvent>, 2000).wipe)).toBe(wipe)
  })
})
