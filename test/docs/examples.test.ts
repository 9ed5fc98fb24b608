/**
 * Every TypeScript block of the pages is compiled against the built package, as a stranger's project would: by its name.
 * Those that say what they print are run, and so are the commands of the shell.
 */
import { execFile, spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, describe, expect, it } from "vitest"
import { type Block, blocks, root } from "./kit/pages.ts"
import { clear, directory, env } from "./kit/stage.ts"

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

const run = async (block: Block) => {
  const cwd = join(directory, `in-${nameOf(block).replaceAll(/[^\w-]/g, "-")}`)
  mkdirSync(cwd)
  const file = files.get(block)
  const [command, args] =
    file === undefined ? ["bash", ["-euo", "pipefail", "-c", block.code]] : [process.execPath, [file]]
  const { stdout } = await promisify(execFile)(command, args, { cwd, env, encoding: "utf8", timeout: 60_000 })
  return stdout
}

const printing = blocks.flatMap((block) => (block.remark?._tag === "prints" ? [{ block, ...block.remark }] : []))

describe("the examples of the pages", () => {
  it("are there", () => expect(files.size).toBeGreaterThan(2))

  it("say what they print, or why they are not run", () => {
    const silent = blocks.filter(({ language, remark }) => ["ts", "sh"].includes(language) && remark === undefined)
    assert.deepStrictEqual(silent.map(nameOf), [])
  })

  it("are in languages that are looked at here", () => {
    const others = blocks.filter(({ language }) => !["ts", "sh", "json", "text"].includes(language))
    assert.deepStrictEqual(others.map(nameOf), [])
    for (const { language, code } of blocks) if (language === "json") JSON.parse(code)
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

describe.concurrent("run:", () => {
  it.each(printing.map(({ block, pattern }) => [nameOf(block), block, pattern] as const))(
    "%s",
    { timeout: 90_000 },
    async (_, block, pattern) => expect(await run(block)).toMatch(pattern)
  )
})
