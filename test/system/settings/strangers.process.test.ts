/** The content of a repository is data of strangers: whatever it is, nothing outside of its folder is touched. */
import { spawnSync } from "node:child_process"
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { leaseSettings } from "../../../src/system/settings/lease.ts"
import { recoverSettings } from "../../../src/system/settings/recover.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { listing } from "./listing.ts"

const path = [".gemini", "settings.json"]
const shipped = '{ "theme": "dark" }\n'
const base64 = (text: string) => Buffer.from(text).toString("base64")

const journal = (fields: object) =>
  JSON.stringify({
    version: 1,
    original: null,
    kept: null,
    madeDirectory: false,
    written: [],
    claims: [],
    left: [],
    ...fields
  })

/** A user's directory with a clone in it, and what must not be touched around it. */
const makeClone = Effect.gen(function* () {
  const root = yield* makeDirectory
  const at = (...names: ReadonlyArray<string>) => join(root, ...names)
  for (const name of ["clone/.gemini", ".ssh", "other/.gemini"]) mkdirSync(at(name), { recursive: true })
  writeFileSync(at("important.txt"), "important\n")
  writeFileSync(at(".ssh/id_rsa"), "secret\n", { mode: 0o600 })
  writeFileSync(at("other/.gemini/settings.json"), shipped)
  writeFileSync(at("clone/.gemini/settings.json"), shipped)
  return { root, at, clone: at("clone"), folder: at("clone/.gemini"), listing: () => listing(root) }
})

const provided = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.provide(self, NodeServices.layer)

const recover = (directory: string) => provided(recoverSettings(directory, path))

/** A run from its start to its end; what it fails with, if it fails. */
const visit = (directory: string) =>
  leaseSettings({ directory, path, patch: { mcpServers: { mine: { command: "mine" } } }, secret: false }).pipe(
    Effect.as(undefined),
    Effect.scoped,
    Effect.catch((error) => Effect.succeed(error.message)),
    provided
  )

const stolen = { original: { bytes: base64(shipped), mode: 0o644 }, kept: "../../.ssh/id_rsa" }

describe("a journal that a repository ships", () => {
  const journals: ReadonlyArray<readonly [string, object]> = [
    ["names a file to delete", { kept: "../../important.txt" }],
    ["names a file to take", stolen],
    ["says that the file is to go", { written: [{ bytes: base64(shipped), mode: 0o644 }] }],
    [
      "says what the file was",
      { original: { bytes: base64("{}"), mode: 0o777 }, written: [{ bytes: base64(shipped), mode: 0o644 }] }
    ]
  ]

  it.live.each(journals)("%s: a recovery and a run touch nothing, and leave it there", ([_, fields]) =>
    Effect.gen(function* () {
      const clone = yield* makeClone
      writeFileSync(join(clone.folder, "settings.json.reins-journal"), journal(fields))
      const before = clone.listing()
      yield* Effect.exit(recover(clone.clone))
      assert.deepStrictEqual(clone.listing(), before)
      yield* visit(clone.clone)
      assert.deepStrictEqual(clone.listing(), before)
    })
  )

  const Name = Schema.Literals([
    "..",
    ".",
    ".ssh",
    "id_rsa",
    "important.txt",
    "settings.json",
    "SETTINGS.JSON",
    "other",
    ".gemini",
    ""
  ])
  const Way = Arbitrary.map(Arbitrary.array(Arbitrary.schema(Name), { minLength: 1, maxLength: 5 }), (names) =>
    names.join("/")
  )
  const Kind = Arbitrary.schema(
    Schema.Literals(["journal", "lock.4194303.1.x", "new.4194303.1.x", "made.4194303.1.x", "original.x"])
  )
  const Text = Arbitrary.schema(Schema.Literals([shipped, "{}", "", "important\n"]))

  it.live.prop(
    "of any content, and whatever stands beside it, has no effect",
    [Way, Kind, Text, Arbitrary.schema(Schema.Boolean)],
    ([stored, kind, text, madeDirectory]) =>
      Effect.gen(function* () {
        const clone = yield* makeClone
        const file = { bytes: base64(text), mode: 0o644 }
        writeFileSync(
          join(clone.folder, "settings.json.reins-journal"),
          journal({ kept: stored, original: file, madeDirectory, written: [file] })
        )
        for (const folder of [clone.folder, clone.clone]) {
          for (const name of ["settings.json", ".gemini"])
            writeFileSync(join(folder, `${name}.reins-${kind}`), "{}", { flag: "a" })
        }
        const before = clone.listing()
        yield* Effect.exit(recover(clone.clone))
        yield* visit(clone.clone)
        assert.deepStrictEqual(clone.listing(), before)
      }).pipe(Effect.scoped),
    { arbitrary: { runs: 60 } }
  )
})

describe("a link that a repository ships", () => {
  const toFolder = (to: string) => (clone: string) => {
    spawnSync("mv", [join(clone, ".gemini"), join(clone, "real")])
    symlinkSync(to, join(clone, ".gemini"))
  }
  const toFile = (to: string) => (clone: string) => {
    spawnSync("rm", [join(clone, ".gemini/settings.json")])
    symlinkSync(to, join(clone, ".gemini/settings.json"))
  }
  const links: ReadonlyArray<readonly [string, (clone: string) => void, RegExp]> = [
    ["its folder, to another one", toFolder("../other/.gemini"), /"\.gemini", which is a link; .* make it a directory/],
    ["its folder, to one of its own", toFolder("real"), /is a link/],
    ["its folder, to the root", toFolder("/"), /is a link/],
    ["the file, to another one", toFile("../../other/.gemini/settings.json"), /is a link that leaves its directory/],
    ["the file, to one above", toFile("../package.json"), /is a link that leaves its directory/],
    ["the file, to a device", toFile("/dev/zero"), /is a link that leaves its directory/],
    ["the file, to itself", toFile("settings.json"), /is a link that leaves its directory/],
    ["the file, up and down again", toFile("../.gemini/other.json"), /is a link that leaves its directory/]
  ]

  it.live.each(links)("%s: refused by name, and nothing is touched", ([_, make, problem]) =>
    Effect.gen(function* () {
      const clone = yield* makeClone
      make(clone.clone)
      const before = clone.listing()
      const message = (yield* visit(clone.clone)) ?? "it was not refused"
      assert.deepStrictEqual(clone.listing(), before)
      assert.match(message, problem)
      assert.include(message, join(clone.clone, ...path))
      yield* Effect.exit(recover(clone.clone))
      assert.deepStrictEqual(clone.listing(), before)
    })
  )

  it.live("a second name of a file elsewhere: that file's content stays while the run goes on", () =>
    Effect.gen(function* () {
      const clone = yield* makeClone
      spawnSync("rm", [join(clone.folder, "settings.json")])
      const elsewhere = clone.at("other/.gemini/settings.json")
      linkSync(elsewhere, join(clone.folder, "settings.json"))
      const before = clone.listing()
      const lease = leaseSettings({ directory: clone.clone, path, patch: { a: { b: 1 } }, secret: true })
      yield* Effect.scoped(
        Effect.andThen(
          lease,
          Effect.sync(() => assert.strictEqual(readFileSync(elsewhere, "utf8"), shipped))
        )
      ).pipe(provided)
      assert.deepStrictEqual(clone.listing(), before)
    })
  )
})

describe("reins doctor in a clone", () => {
  const program = fileURLToPath(new URL("../../../dist/program.js", import.meta.url))

  it.live.each([
    ["deletes", { kept: "../../important.txt" }],
    ["takes", stolen]
  ] as const)("names the journal that %s files, and does nothing with it", ([_, fields]) =>
    Effect.gen(function* () {
      const clone = yield* makeClone
      const file = join(clone.folder, "settings.json.reins-journal")
      writeFileSync(file, journal(fields))
      const before = clone.listing()
      const { stdout } = spawnSync(process.execPath, [program, "doctor"], { cwd: clone.clone, encoding: "utf8" })
      assert.deepStrictEqual(clone.listing(), before)
      assert.include(stdout, `${file}: left by an older version`)
    })
  )
})
