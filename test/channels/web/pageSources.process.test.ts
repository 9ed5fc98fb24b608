/**
 * Forbidden in the page's sources: markup from text, code from text, styles and scripts in the document, other hosts.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const folder = join(import.meta.dirname, "../../../src/channels/web/page")
const read = (name: string) => readFileSync(join(folder, name), "utf8")
const scripts = readdirSync(folder).filter((name) => name.endsWith(".js"))
const styles = readdirSync(folder).filter((name) => name.endsWith(".css"))

describe("the sources of the page", () => {
  it("make elements by their names and text, and run nothing of a text", () => {
    assert.isAbove(scripts.length, 20)
    const never =
      /\b(?:innerHTML|outerHTML|insertAdjacentHTML|srcdoc|document\.write|eval|Function\(|setHTML|createContextualFragment|DOMParser|cssText)\b/
    for (const name of scripts) assert.notMatch(read(name), never, name)
  })

  it("have no script, style or handler in the document", () => {
    const page = read("index.html")
    assert.deepStrictEqual(page.match(/<script[^>]*>[^<]*/g), ['<script src="main.js" type="module">'])
    assert.notMatch(page, /<style|\sstyle=|\son\w+=|javascript:/i)
  })

  it("has each of its styles in the document, and no other", () => {
    const named = [...read("index.html").matchAll(/rel="stylesheet" href="([^"]+)"/g)].map(([, name]) => name)
    assert.isAbove(styles.length, 5)
    assert.sameMembers(named, styles)
  })

  it("name no other host, and no cookie", () => {
    for (const name of [...scripts, ...styles, "index.html"]) {
      const hosts = read(name).match(/(?:https?:)?\/\/[\w.-]+\.\w+/g) ?? []
      assert.deepStrictEqual(
        hosts.filter((host) => host !== "http://www.w3.org"),
        [],
        name
      )
      assert.notInclude(read(name), "document.cookie")
    }
  })

  it("say each word of the table somewhere", () => {
    const [table = ""] = read("words.js").split("\n}\n")
    const names = [...table.matchAll(/^ {2}(\w+):/gm)].map(([, name = ""]) => name)
    const used = [...scripts.filter((name) => name !== "words.js"), "index.html"].map(read).join("\n")
    assert.isAbove(names.length, 100)
    const isUsed = (name: string) =>
      new RegExp(`words\\.${name}\\b|data-(?:word|label|placeholder)="${name}"`).test(used)
    assert.deepStrictEqual(
      names.filter((name) => !isUsed(name)),
      []
    )
  })
})
