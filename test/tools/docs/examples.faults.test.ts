/**
 * Every TypeScript block of the pages is compiled against the built package, as a stranger's project would: by its name.
 * Those that say what they print are run, and so are the commands of the shell.
 */
import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { Result } from "effect"
import { afterAll, assert, describe, expect, it } from "vitest"
import { checkText } from "../../../src/api/config/check.ts"
import { type Block, blocks, pages, root } from "../../../tools/docs/kit/pages.ts"
import { clear, directory, env } from "../../../tools/docs/kit/stage.ts"

afterAll(clear)

const nameOf = ({ page, line }: Block) => `${page}:${line}`

const files = new Map(
  blocks
    .filter(({ language }) => language === "ts")
    .map((block) => {
      const { remark } = block
      const name = remark?._tag === "file" ? remark.name : `${nameOf(block).replaceAll(/[^\w-]/g, "-")}.mts`
      const file = join(directory, name)
      writeFileSync(file, block.code)
      return [block, file] as const
    })
)

/** Blocks of a page run one after the other in one process, which loads the package once. */
const mark = "---- the next example\n"
const oneByOne = join(directory, "oneByOne.mjs")
writeFileSync(
  oneByOne,
  `for (const file of process.argv.slice(2)) {
  process.stdout.write(${JSON.stringify(mark)})
  await import(file)
}
`
)

const printing = blocks.flatMap((block) => (block.remark?._tag === "prints" ? [{ block, ...block.remark }] : []))

const run = async (command: string, args: ReadonlyArray<string>) => {
  const cwd = mkdtempSync(join(directory, "in-"))
  // State of its own: one example's configuration and storage are not there for the others.
  const own = { XDG_CONFIG_HOME: join(cwd, ".config"), XDG_STATE_HOME: join(cwd, ".state") }
  return (await promisify(execFile)(command, args, { cwd, env: { ...env, ...own }, encoding: "utf8", timeout: 90_000 }))
    .stdout
}

describe("the examples of the pages", () => {
  it("are there", () => expect(files.size).toBeGreaterThan(30))

  it("say what they print, or why they are not run", () => {
    const silent = blocks.filter(({ language, remark }) => ["ts", "sh"].includes(language) && remark === undefined)
    assert.deepStrictEqual(silent.map(nameOf), [])
  })

  it("are in languages that are looked at here", () => {
    const others = blocks.filter(({ language }) => !["ts", "sh", "json", "text", "toml"].includes(language))
    assert.deepStrictEqual(others.map(nameOf), [])
    for (const { language, code } of blocks) if (language === "json") JSON.parse(code)
  })

  it("are valid, where they are a configuration", () => {
    const toml = blocks.filter(({ language }) => language === "toml")
    for (const { code } of toml)
      assert.isTrue(Result.isSuccess(checkText({ file: "reins.toml", text: code, home: "/" })))
  })

  it("compile strictly", () => {
    const config = {
      extends: join(root, "tsconfig.json"),
      compilerOptions: { types: ["node"], skipLibCheck: true },
      include: [],
      files: [...files.values()]
    }
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(config))
    const tsc = join(root, "node_modules/typescript/bin/tsc")
    const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", directory], { encoding: "utf8" })
    assert.deepStrictEqual([stdout, status], ["", 0])
  })
})

describe.concurrent("what they print:", () => {
  const inTypeScript = pages.map((page) => ({
    page,
    examples: printing.filter(({ block }) => block.page === page && block.language === "ts")
  }))

  it.each(inTypeScript.filter(({ examples }) => examples.length > 0))(
    "$page",
    { timeout: 100_000 },
    async ({ examples }) => {
      const stdout = await run(process.execPath, [oneByOne, ...examples.map(({ block }) => files.get(block) ?? "")])
      const printed = stdout.split(mark).slice(1)
      for (const [index, { block, pattern }] of examples.entries())
        expect(printed[index], nameOf(block)).toMatch(pattern)
    }
  )

  it.each(printing.filter(({ block }) => block.language === "sh").map((one) => ({ ...one, name: nameOf(one.block) })))(
    "$name",
    { timeout: 100_000 },
    async ({ block, pattern }) => expect(await run("bash", ["-euo", "pipefail", "-c", block.code])).toMatch(pattern)
  )
})
