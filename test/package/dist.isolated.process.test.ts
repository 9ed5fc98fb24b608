/** The bundles: what they load, whose licences they name, and where their lines come from. The build has to be there. */
import { globSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "../house/sources.ts"

const read = (path: string) => readFileSync(join(root, path), "utf8")

/** Static imports and those that are loaded when they are needed. */
const importsOf = (code: string) =>
  [...code.matchAll(/^(?:import|export)\b[^"]*?(?:from )?"([^"]+)";$|\bimport\("([^"]+)"\)/gm)].map(
    ([, from = "", called = ""]) => from || called
  )

/** Imports of other packages in the file and everything that it loads. */
const packagesOf = (entry: string) => {
  const known = new Set<string>()
  const packages = new Set<string>()
  const follow = (file: string) => {
    if (known.has(file)) return
    known.add(file)
    for (const path of importsOf(read(file))) {
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
    const statically = read(file).matchAll(/^(?:import|export)\b[^"]*?(?:from )?"([^"]+)";$/gm)
    for (const [, path = ""] of statically) if (path.startsWith("./")) follow(join(dirname(file), path))
  }
  follow(entry)
  return [...code.values()]
}
const loadedWith = (entry: string) => filesOf(entry).join("\n")

/** The doors that make agents share it. */
const withCreateAgent = (): string =>
  globSync("dist/plain-*.js", { cwd: root }).find((file) => read(file).includes("const createAgent = (")) ??
  assert.fail("none has createAgent")

describe("the bundle", () => {
  it.each(["index", "promise", "aiSdk", "program"])(
    "of %s loads databases and conversations only where they are used",
    (name) => {
      const code = loadedWith(`dist/${name}.js`)
      for (const word of [
        "makeCompilerSqlite",
        "effect/sql",
        "PgConnection",
        "BEGIN IMMEDIATE",
        "create table sessions",
        "const makeSessions ="
      ]) {
        assert.notInclude(code, word)
      }
      assert.notMatch(code, /^import\b[^"]*"node:sqlite"/m)
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
    assert.isBelow(filesOf("dist/promise.js").length, 8)
  })

  it("has each driver once in each group, as a part of its own", () => {
    for (const group of ["plain", "effect"]) {
      const files = globSync(`dist/${group}-*.js`, { cwd: root }).filter((file) =>
        read(file).includes("application_name")
      )
      assert.strictEqual(files.length, 1, group)
      assert.match(files[0] ?? "", /postgresStore/)
    }
  })

  it("has the table of prices once, for both groups", () => {
    const withTable = globSync("dist/*.js", { cwd: root }).filter((file) => read(file).includes("gpt-4o-mini-tts"))
    assert.deepStrictEqual(withTable, ["dist/prices-table.js"])
    const users = globSync("dist/*.js", { cwd: root }).filter((file) =>
      read(file).includes('import("./prices-table.js")')
    )
    assert.sameMembers(
      users.map((file) => file.replace(/^dist\/(\w+)-.*/, "$1")),
      ["plain", "effect"]
    )
  })

  it.each(["promise", "testing", "player", "restoreProgram"])("of %s needs no other package", (name) => {
    assert.deepStrictEqual(packagesOf(`dist/${name}.js`), [])
  })

  it.each(["index", "testingEffect"])("of %s leaves Effect to the application", (name) => {
    assert.deepStrictEqual(packagesOf(`dist/${name}.js`), ["@effect", "effect"])
  })

  it("of the AI SDK leaves that to the application, and loads it where a call needs it", () => {
    assert.deepStrictEqual(packagesOf("dist/aiSdk.js"), ["ai"])
    for (const file of globSync("dist/*.js", { cwd: root })) assert.notMatch(read(file), /^import\b[^"]*"ai"/m, file)
  })

  it("of the Telegram host leaves grammY to users with a bot, and loads it then", () => {
    assert.deepStrictEqual(packagesOf("dist/program.js"), ["grammy"])
    assert.deepStrictEqual(packagesOf("dist/bridge.js"), ["@effect", "effect", "grammy"])
    for (const file of globSync("dist/*.js", { cwd: root }))
      assert.notMatch(read(file), /^import\b[^"]*"grammy"/m, file)
  })

  it("loads no more of Effect than it uses", () => {
    const loaded = globSync("dist/effect-*.js", { cwd: root }).flatMap((file) => importsOf(read(file)))
    assert.include(loaded, "effect/Stream")
    assert.notInclude(loaded, "effect")
    assert.notInclude(loaded, "effect/Trie")
  })

  it("has no module of Effect whole, as one whose namespace is used as a value would be", () => {
    const code = globSync("dist/plain-*.js", { cwd: root }).map(read).join("")
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
    const effects = globSync("dist/plain-*.js", { cwd: root })
      .map(read)
      .filter((code) => !code.includes("\nconst "))
    assert.match(effects.join(""), /\bclass YieldableError\b/)
    assert.match(effects.join(""), /\bcauseSquash=/)
    assert.include(read(withCreateAgent()), "const createAgent = (")
  })

  it("has the web page as it is in the sources", () => {
    const files = readdirSync(join(root, "src/channels/web/page")).filter((name) => name !== "tsconfig.json")
    assert.includeMembers(files, ["index.html", "page.css", "main.js"])
    assert.sameMembers(readdirSync(join(root, "dist/page")), files)
    for (const name of files) assert.strictEqual(read(`dist/page/${name}`), read(`src/channels/web/page/${name}`))
  })

  it("is ASCII", () => {
    for (const file of globSync("dist/*.js", { cwd: root })) assert.notMatch(read(file), /[^\0-\x7f]/, file)
  })

  it("has in parentheses what a first run calls, and nothing else", () => {
    const code = globSync("dist/plain-*.js", { cwd: root }).map(read).join("")
    assert.include(read(withCreateAgent()), "const createAgent = ((")
    assert.include(code, "const supervise = ((")
    // In a file that the program has, too.
    assert.include(code, "const mayFallBack = ({")
  })

  it("can be read: ours are headed by the path of their source", () => {
    const lines = read(withCreateAgent()).split("\n")
    const at = lines.findIndex((line) => /^(?:const|function) createAgent\b/.test(line))
    assert.strictEqual(
      lines.slice(0, at).findLast((line) => line.startsWith("// ")),
      "// src/api/promise/CreateAgent.ts"
    )
    assert.deepStrictEqual(globSync("dist/**/*.map", { cwd: root }), [])
  })
})
