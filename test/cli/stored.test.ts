/** Recorded files of sessions, cut anywhere and changed: what is whole is kept, and nothing throws. */
import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { stored as claude } from "../../src/cli/claude/stored.ts"
import { stored as codex } from "../../src/cli/codex/stored.ts"
import { stored as gemini } from "../../src/cli/gemini/stored.ts"
import { parsed } from "../../src/cli/jsonFields.ts"
import { stored as opencode } from "../../src/cli/opencode/stored.ts"
import { stored as pi } from "../../src/cli/pi/stored.ts"
import type { Stored, StoredFiles, StoredItem } from "../../src/cli/Stored.ts"
import { checked } from "../../src/cli/stored/checked.ts"
import { runs } from "../kit/runs.ts"
import { Mutations, mutatedLines } from "./mutations.ts"

const filesBelow = (cli: string): ReadonlyArray<readonly [string, string]> => {
  const folder = fileURLToPath(new URL(`../../fixtures/${cli}/stored`, import.meta.url))
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => [basename(name), readFileSync(join(folder, name), "utf8")])
}

/** By its lines, and at its end. */
const itemsOf = (files: StoredFiles, text: string) => {
  const reader = files.reader("some-session")
  const lines = text.split("\n").flatMap((line) => (line === "" ? [] : (parsed(line) ?? [])))
  const items = lines.flatMap(reader.line)
  return { items, all: [...items, ...reader.end()] }
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const promptsOf = (items: ReadonlyArray<StoredItem>) => items.flatMap((item) => ("prompt" in item ? item.prompt : []))

/** Facts that may be shown and used, whatever was in the file. */
const checkFacts = (files: StoredFiles, name: string, head: string, tail: string, beside: string | undefined) => {
  const reading = files.read({ name, head, tail, isWhole: tail === "", beside })
  if (reading === undefined) return
  if (typeof reading === "string") return assert.isAbove(reading.length, 0)
  const known = checked(reading, 1)
  if (known === undefined) return
  assert.match(known.sessionId, /^[^\s-][^\s]{0,127}$/)
  assert.isAtMost(known.title?.length ?? 0, 200)
  assert.notMatch(`${known.title}${known.directory}${known.model}`, /[\p{Cc}\p{Cf}]/u)
  assert.isTrue(known.directory === undefined || known.directory.startsWith("/"))
  assert.isTrue(Number.isFinite(known.usedAt) && (known.turns === undefined || known.turns >= 0))
}

const withFiles: ReadonlyArray<readonly [string, Stored]> = [
  ["claude", claude],
  ["codex", codex],
  ["gemini", gemini],
  ["pi", pi]
]

describe.each(withFiles)("%s", (cli, { files }) => {
  const recordings = filesBelow(cli)
  const nth = (which: number) => recordings[which % recordings.length] ?? assert.fail()

  it.prop(
    "cut anywhere, a session has what is whole",
    [Schema.Natural, Schema.Natural],
    ([which, at]) => {
      if (files === undefined) return assert.fail()
      const [name, text] = nth(which)
      const cut = text.slice(0, at % (text.length + 1))
      checkFacts(files, name, cut, "", "/workspace\n")
      const [whole, stored] = [itemsOf(files, text), itemsOf(files, cut)]
      const prompts = promptsOf(stored.all)
      assert.deepStrictEqual(prompts, promptsOf(whole.all).slice(0, prompts.length))
      assert.deepStrictEqual(plain(stored.items), plain(whole.items.slice(0, stored.items.length)))
    },
    runs(300)
  )

  it.prop(
    "changed, it is read or left out",
    [Schema.Natural, Schema.Natural, Mutations],
    ([which, at, mutations]) => {
      if (files === undefined) return assert.fail()
      const [name, text] = nth(which)
      const lines = mutatedLines(text.trimEnd().split("\n"), mutations)
      const changed = lines.join("\n")
      const end = at % (changed.length + 1)
      checkFacts(files, name, changed.slice(0, end), changed.slice(end), changed.slice(0, 200))
      for (const line of lines) files.baseOf?.(parsed(line))
      plain(itemsOf(files, changed))
    },
    runs(300)
  )
})

describe("opencode", () => {
  const value = Schema.Union([Schema.String, Schema.Finite, Schema.Null])
  const data = Schema.Literals([
    '{"role":"user"}', '{"role":"assistant"}', '{"type":"text","text":"x"}', '{"type":"tool","tool":"bash","callID":"c","state":{"status":"running"}}',
    '{"type":"tool","tool":"bash","callID":"c","state":{"status":"completed","output":5}}', '{"type":"step-finish","reason":"stop"}', "{", "[]", "null"
  ]) // biome-ignore format: one list
  const row = Schema.Record(Schema.Literals(["id", "message_id", "time_created", "title", "directory", "model"]), value)
  const rows = Arbitrary.array(Arbitrary.schema(Schema.Struct({ row, data })), { maxLength: 8 })

  it.prop(
    "any rows are read or left out",
    [rows, rows, rows],
    (tables) => {
      const input = tables.map((table) => table.map(({ row, data }) => ({ ...row, data })))
      plain(opencode.database?.items?.read(input))
      for (const one of input.flat()) {
        const reading = opencode.database?.read(one)
        if (reading !== undefined && typeof reading !== "string") checked(reading, 1)
      }
    },
    runs(300)
  )
})
