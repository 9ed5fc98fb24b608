/** The bundles: what they load, whose licences they name, and the names in their stacks. The build has to be there. */
import { globSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseSync } from "rolldown/utils"
import { assert, describe, it } from "vitest"
import { root } from "../house/sources.ts"

const read = (path: string) => readFileSync(join(root, path), "utf8")

interface Imports {
  /** Loaded with the file. */
  readonly now: ReadonlyArray<string>
  /** Loaded when they are needed. */
  readonly later: ReadonlyArray<string>
}

const known = new Map<string, Imports>()

const importsOf = (file: string): Imports => {
  const before = known.get(file)
  if (before !== undefined) return before
  const code = read(file)
  const { staticImports, staticExports, dynamicImports } = parseSync(file, code).module
  const from = staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])
  )
  const called = dynamicImports.map(({ moduleRequest: { start, end } }) => code.slice(start, end))
  const imports = {
    now: [...staticImports.map(({ moduleRequest }) => moduleRequest.value), ...from],
    later: called.filter((path) => /^(["`]).*\1$/.test(path)).map((path) => path.slice(1, -1))
  }
  known.set(file, imports)
  return imports
}

const all = globSync("dist/*.js", { cwd: root })
const plain = all.filter((file) => file.startsWith("dist/plain-"))

/** Imports of other packages in the file and everything that it loads. */
const packagesOf = (entry: string) => {
  const known = new Set<string>()
  const packages = new Set<string>()
  const follow = (file: string) => {
    if (known.has(file)) return
    known.add(file)
    const { now, later } = importsOf(file)
    for (const path of [...now, ...later]) {
      if (path.startsWith("./")) follow(join(dirname(file), path))
      else if (!path.startsWith("node:")) packages.add(path.split("/")[0] ?? "")
    }
  }
  follow(entry)
  return [...packages].sort()
}

/** The file and all that is loaded with it. */
const filesOf = (entry: string) => {
  const code = new Map<string, string>()
  const follow = (file: string) => {
    if (code.has(file)) return
    code.set(file, read(file))
    for (const path of importsOf(file).now) if (path.startsWith("./")) follow(join(dirname(file), path))
  }
  follow(entry)
  return code
}

/** The doors that make agents share it. */
const withCreateAgent = (): string =>
  plain.find((file) => /\bcreateAgent=\(/.test(read(file))) ?? assert.fail("none has createAgent")

describe("the bundle", () => {
  it.each(["index", "promise", "aiSdk", "program"])(
    "of %s loads databases and conversations only where they are used",
    (name) => {
      const files = filesOf(`dist/${name}.js`)
      const code = [...files.values()].join("\n")
      for (const word of [
        "makeCompilerSqlite",
        "effect/sql",
        "PgConnection",
        "BEGIN IMMEDIATE",
        "create table sessions",
        "makeSessions="
      ]) {
        assert.isTrue(all.some((file) => read(file).includes(word)))
        assert.notInclude(code, word)
      }
      assert.notInclude(
        [...files.keys()].flatMap((file) => importsOf(file).now),
        "node:sqlite"
      )
    }
  )

  it.each(["index", "promise", "aiSdk", "bridge", "cluster", "testing", "testingEffect"])(
    "of %s exports what its source does, and no more",
    async (name) => {
      const [built, source] = await Promise.all([
        import(join(root, `dist/${name}.js`)),
        import(join(root, `src/${name}.ts`))
      ])
      assert.deepStrictEqual(Object.keys(built).sort(), Object.keys(source).sort())
    }
  )

  it("of the plain door is few files", () => {
    assert.isBelow(filesOf("dist/promise.js").size, 8)
  })

  it("has each driver once in each group, as a part of its own", () => {
    for (const group of ["plain", "effect"]) {
      const files = all.filter((file) => file.startsWith(`dist/${group}-`) && read(file).includes("application_name"))
      assert.strictEqual(files.length, 1, group)
      assert.match(files[0] ?? "", /postgresStore/)
    }
  })

  it("has the table of prices once, for both groups", () => {
    const withTable = all.filter((file) => read(file).includes("brotliDecompressSync"))
    assert.deepStrictEqual(withTable, ["dist/prices-table.js"])
    assert.isBelow(read("dist/prices-table.js").length, 120_000)
    const users = all.filter((file) => importsOf(file).later.includes("./prices-table.js"))
    assert.sameMembers(
      users.map((file) => file.replace(/^dist\/(\w+)-.*/, "$1")),
      ["plain", "effect"]
    )
  })

  it.each(["anthropic", "openai", "google"])(
    "unpacks the rows of %s as they are in the registry",
    async (providerId) => {
      const [packed, registry] = await Promise.all([
        import(join(root, "dist/prices-table.js")),
        import("@pydantic/genai-prices")
      ])
      assert.isAbove(registry.findProvider({ providerId })?.models.length ?? 0, 10)
      assert.deepStrictEqual(packed.findProvider({ providerId }), registry.findProvider({ providerId }))
    }
  )

  it.each(["promise", "testing", "player", "restoreProgram"])("of %s needs no other package", (name) => {
    assert.deepStrictEqual(packagesOf(`dist/${name}.js`), [])
  })

  it.each(["index", "testingEffect"])("of %s leaves Effect to the application", (name) => {
    assert.deepStrictEqual(packagesOf(`dist/${name}.js`), ["@effect", "effect"])
  })

  it("of the AI SDK leaves that to the application, and loads it where a call needs it", () => {
    assert.deepStrictEqual(packagesOf("dist/aiSdk.js"), ["ai"])
    for (const file of all) assert.notInclude(importsOf(file).now, "ai", file)
  })

  it("of the Telegram host leaves grammY to users with a bot, and loads it then", () => {
    assert.deepStrictEqual(packagesOf("dist/program.js"), ["grammy"])
    assert.deepStrictEqual(packagesOf("dist/bridge.js"), ["@effect", "effect", "grammy"])
    for (const file of all) assert.notInclude(importsOf(file).now, "grammy", file)
  })

  it("loads no more of Effect than it uses", () => {
    const loaded = all.filter((file) => file.startsWith("dist/effect-")).flatMap((file) => importsOf(file).now)
    assert.include(loaded, "effect/Stream")
    assert.notInclude(loaded, "effect")
    assert.notInclude(loaded, "effect/Trie")
  })

  it("has no module of Effect whole, as one whose namespace is used as a value would be", () => {
    const code = plain.map(read).join("")
    assert.include(code, "StructWithRest")
    for (const word of ["ScopedIpv6Literal", "chacha20Poly1305", "SemVerFromString"]) assert.notInclude(code, word)
  })

  it("names the licences of what is in it", () => {
    const licences = read("dist/LICENSES.txt")
    for (const name of ["effect", "@effect/platform-node", "@effect/platform-node-shared", "@pydantic/genai-prices"])
      assert.match(
        licences,
        new RegExp(`^${name} \\d\\S+ \\(MIT\\)\n\n(?:The )?MIT License(?: \\(MIT\\))?\n\nCopyright`, "m")
      )
  })

  it("keeps the names of functions and classes that stacks show", () => {
    const code = plain.map(read).join("")
    assert.match(code, /\bclass YieldableError\b/)
    assert.match(code, /\bcauseSquash=/)
    assert.match(code, /\bsupervise=/)
  })

  it("has the web page as it is in the sources", () => {
    const files = readdirSync(join(root, "src/channels/web/page")).filter((name) => name !== "tsconfig.json")
    assert.includeMembers(files, ["index.html", "page.css", "main.js"])
    assert.sameMembers(readdirSync(join(root, "dist/page")), files)
    for (const name of files) assert.strictEqual(read(`dist/page/${name}`), read(`src/channels/web/page/${name}`))
  })

  it("is ASCII", () => {
    for (const file of all) assert.notMatch(read(file), /[^\0-\x7f]/, file)
  })

  it("has in parentheses what a first run and a first session call, and nothing else", () => {
    const code = plain.map(read).join("")
    assert.match(read(withCreateAgent()), /\bcreateAgent=\(\(/)
    assert.match(code, /\bsupervise=\(\w+=>/)
    assert.match(code, /\bmakeConversation=\(\w+=>/)
    // In a file that the program has, too.
    assert.match(code, /\bmayFallBack=\(\{/)
  })

  it("has no maps, which would be larger than the code", () => {
    assert.deepStrictEqual(globSync("dist/**/*.map", { cwd: root }), [])
  })
})
