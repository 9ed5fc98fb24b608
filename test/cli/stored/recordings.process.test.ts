/** Recorded homes of the five CLIs: what is listed of them, and what a session consists of. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { CliId } from "../../../src/cli/clis.ts"
import { everything, find, list, makeHome, read, recorded } from "./kit.ts"

const scenarios: ReadonlyArray<readonly [CliId, ReadonlyArray<string>]> = [
  ["claude", ["plain", "tools", "resumed-renamed", "forked", "killed"]],
  ["codex", ["plain", "tools", "resumed", "forked", "killed"]],
  ["gemini", ["plain", "tools", "resumed", "forked", "killed", "resumed-two-files"]],
  ["opencode", ["list"]],
  ["pi", ["plain", "tools", "resumed", "forked", "failed", "killed"]]
]

/** As JSON has it: what is undefined is not there. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe.each(scenarios)("%s", (cli, names) => {
  it.each(names)("%s", async (scenario) => {
    using made = makeHome(cli, scenario)
    const { of, home } = made
    const before = everything(home)
    const { sessions } = await list(of)
    const items = await Promise.all(sessions.map(({ sessionId }) => read(of, sessionId)))
    const expected: unknown = JSON.parse(readFileSync(`${recorded(cli, scenario)}.json`, "utf8"))
    expect(plain({ sessions, items })).toEqual(expected)
    for (const session of sessions) expect(await find(of, session.sessionId)).toEqual(session)
    // Nothing is written, and nothing appears beside a database.
    expect(everything(home)).toEqual(before)
  })
})
