/** State belongs to services, made by their layers or defaults: no module of these rooms has any. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

const room = (name: string) => fileURLToPath(new URL(`../../../src/${name}/`, import.meta.url))

const rooms = ["system", "system/process", "system/locks", "system/settings"].concat(
  ["approvals", "hostTools", "engine", "run", "session"].map((name) => `agents/${name}`)
)

const files = rooms.flatMap((name) =>
  readdirSync(room(name))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => ({
      name: `${name}/${file}`,
      source: readFileSync(join(room(name), file), "utf8")
    }))
)

/** Top-level bindings that can change, or that are another value in each process. */
const stateIn = (source: string) =>
  source.split("\n").filter((line) => {
    if (/^(export )?(let|var) /.test(line)) return true
    const [, type = "", value = ""] = /^(?:export )?const \w+([^=]*)=(?!>)(.*)/.exec(line) ?? []
    return !/readonly/i.test(type) && /^ *(new (Weak)?(Map|Set)\b|\[\]|\{\}|\w+\.(random|now|makeUnsafe))/.test(value)
  })

const state = `
let reaper: Reaper | undefined
export let count = 0
const strays = new Map<string, number>()
const list: Array<string> = []
export const id = crypto.randomUUID()
const hub = PubSub.makeUnsafe()
`.trim()

const noState = `
const pids: ReadonlyArray<number> = []
const names: ReadonlySet<string> = new Set(["a"])
const make = () => new Map()
  let inside = 0
export const Host = Context.Reference("reins/Host", { defaultValue: () => new Map() })
`

describe("the rooms of the machinery", () => {
  it("are searched for state of a module", () => {
    assert.deepStrictEqual(stateIn(state), state.split("\n"))
    assert.deepStrictEqual(stateIn(noState), [])
  })

  it.each(files)("have no state of a module: $name", ({ source }) => {
    assert.deepStrictEqual(stateIn(source), [])
  })
})
