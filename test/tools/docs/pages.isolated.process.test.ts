/** The pages say what the source says, and their links lead to what a user has. */
import { execFileSync } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { Predicate } from "effect"
import { assert, describe, it } from "vitest"
import { NoticeKind } from "../../../src/contract/AgentEvent.ts"
import * as effectDoor from "../../../src/index.ts"
import * as plainDoor from "../../../src/promise.ts"
import * as testingDoor from "../../../src/testing.ts"
import * as testingEffectDoor from "../../../src/testingEffect.ts"
import { descriptions, descriptionsFile } from "../../../tools/docs/kit/descriptions.ts"
import { blocks, contributorPages, pages, readPage, root } from "../../../tools/docs/kit/pages.ts"
import { tables, withSections } from "../../../tools/docs/kit/sections.ts"
import { testedEnvironments } from "../../../tools/docs/tables/environments.ts"

const manifest: { readonly version: string; readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8")
)

/** The files of the tarball, as npm would make it now. */
const filesOfTarball = (): ReadonlySet<string> => {
  const pack = ["pack", "--dry-run", "--json", "--ignore-scripts", "--offline", "--silent"]
  const packs: ReadonlyArray<{ readonly files: ReadonlyArray<{ readonly path: string }> }> = Object.values(
    JSON.parse(execFileSync("npm", pack, { cwd: root, encoding: "utf8" }))
  )
  return new Set(packs.flatMap(({ files }) => files.map(({ path }) => path)))
}
const packed = filesOfTarball()

const index = "docs/README.md"

const prose = (page: string) => readPage(page).replaceAll(/^```[\s\S]*?^```$/gm, "")

/** As the anchors of headings are made where Markdown is shown. */
const anchorsOf = (page: string) =>
  [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-")
  )

const linksOf = (page: string) =>
  [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target).filter((to) => !/^https?:/.test(to))

const problemOf = (page: string, target: string) => {
  const [path = "", anchor] = target.split("#")
  const file = path === "" ? page : relative(root, join(root, dirname(page), path))
  if (!existsSync(join(root, file))) return "is not there"
  if (!packed.has(file) && !contributorPages.includes(file)) return "is not in the package"
  return anchor !== undefined && !anchorsOf(file).includes(anchor) ? "has no such heading" : undefined
}

describe.each(pages)("%s", (page) => {
  it("has the tables and files that `npm run docs:generate` writes", () =>
    assert.strictEqual(readPage(page), withSections(readPage(page)), "npm run docs:generate writes it"))

  it("can be reached from the README, by the list of all pages", () => {
    assert.include(linksOf("README.md"), index)
    const links = linksOf(index).map((target) => join("docs", target.split("#")[0] ?? ""))
    assert.include(["README.md", index, ...links], page)
  })
})

it.each([...pages, "CHANGELOG.md", ...contributorPages])("%s links to files and headings that there are", (page) => {
  const problems = linksOf(page).flatMap((target) => {
    const problem = problemOf(page, target)
    return problem === undefined ? [] : [`${target} ${problem}`]
  })
  assert.deepStrictEqual(problems, [])
})

describe("the pages for contributors", () => {
  it("can be reached from the list of all pages, decisions by their own list", () => {
    const reached = [index, "decisions/README.md"].flatMap((page) =>
      linksOf(page).map((target) => join(dirname(page), target.split("#")[0] ?? ""))
    )
    assert.deepStrictEqual(
      contributorPages.filter((page) => !reached.includes(page)),
      []
    )
  })

  it("are not in the package", () =>
    assert.deepStrictEqual(
      contributorPages.filter((page) => packed.has(page)),
      []
    ))

  it("name scripts that there are", () => {
    const named = contributorPages.flatMap((page) => [...readPage(page).matchAll(/\bnpm run ([a-z][\w:]*)/g)])
    assert.isAbove(named.length, 5)
    assert.deepStrictEqual(
      named.map(([, name = ""]) => name).filter((name) => manifest.scripts[name] === undefined),
      []
    )
  })
})

describe("the pages", () => {
  it("have every table", () => {
    const all = pages.map(readPage).join("")
    assert.deepStrictEqual(
      Object.keys(tables).filter((name) => !all.includes(`<!-- table: ${name} -->`)),
      []
    )
  })

  it("explain every kind of notice", () => {
    const page = readPage("docs/events.md")
    assert.deepStrictEqual(
      NoticeKind.literals.filter((kind) => !page.includes(`\n| \`${kind}\` |`)),
      []
    )
  })

  it("name scripts that there are", () => {
    const code = blocks.filter(({ language }) => language === "sh").map((block) => block.code)
    const named = [...code.join("\n").matchAll(/npm (?:run )?([a-z][\w:]*)/g)].map(([, name = ""]) => name)
    assert.isAbove(named.length, 5)
    assert.deepStrictEqual(
      named.filter((name) => !["install", "pack"].includes(name) && manifest.scripts[name] === undefined),
      []
    )
  })

  it("name the tarball as npm names it", () => {
    const named = pages.flatMap((page) => readPage(page).match(/reins-\d[\w.-]*?\.tgz/g) ?? [])
    assert.deepStrictEqual([...new Set(named)], [`reins-${manifest.version}.tgz`])
  })

  it("name files that there are", () => {
    const inRoot = [...pages, ...contributorPages].flatMap((page) => [
      ...prose(page).matchAll(/`((?:src|test|tools|bench|fixtures)\/[\w./*-]+)`/g)
    ])
    const inSrc = [...readPage("docs/architecture.md").matchAll(/(?<![\w/>])((?:agents|cli|system)\/\w+\/\w+\.ts)/g)]
    assert.isAbove(inSrc.length, 5)
    const named = [...inRoot.map(([, path = ""]) => path), ...inSrc.map(([, path = ""]) => `src/${path}`)]
    const missing = named.filter((path) => globSync(path, { cwd: root }).length === 0)
    assert.deepStrictEqual(missing, [])
  })

  it("name members of the doors that there are", () => {
    const exported: Readonly<Record<string, unknown>> = {
      ...effectDoor,
      ...plainDoor,
      ...testingDoor,
      ...testingEffectDoor
    }
    const named = pages.flatMap((page) => [...prose(page).matchAll(/`(\w+)\.(?!ts`)(\w+)[`(]/g)])
    const known = named.filter(([, name = ""]) => Object.hasOwn(exported, name))
    assert.isAbove(known.length, 20)
    const missing = known.filter(([, name = "", member = ""]) => !Predicate.hasProperty(exported[name], member))
    assert.deepStrictEqual(
      missing.map(([text]) => text),
      []
    )
  })

  it("leave the README a front page", () => assert.isAtMost(readPage("README.md").split("\n").length, 140))
})

/** Whether a string of the file is the title, `%s` in it being any text. */
const hasTest = (file: string, title: string) =>
  [...readFileSync(join(root, file), "utf8").matchAll(/"((?:[^"\\\n]|\\.)+)"/g)].some(([, literal = ""]) => {
    const parts = literal.split("%s").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    return /\w/.test(parts.join("")) && new RegExp(`^${parts.join("(?:%s|.+)")}$`).test(title)
  })

it.each(testedEnvironments)("the test of the environment $name is there", ({ file, test }) => {
  assert.isTrue(hasTest(file, test), `${file} has no test "${test}"`)
})

it("`reins schema` describes the fields as their comments do: else run `npm run docs:generate`", () => {
  assert.strictEqual(readFileSync(descriptionsFile, "utf8"), descriptions())
})
