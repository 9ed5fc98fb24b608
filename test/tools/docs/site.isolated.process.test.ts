/** The pages of the site, as `npm run docs` orders them. What it builds, it checks itself. */
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { asInSite, linkOf, listPages, otherPages, placeOf, readPage, sidebar } from "../../../tools/site/pages.ts"

const index = readPage("docs/README.md")

describe("the site", () => {
  it("has every page at its side, in a group of its task", () => {
    const groups = sidebar(index, listPages())
    const links = groups.flatMap(({ items }) => items.map(({ link }) => link))
    assert.deepStrictEqual([...links].sort(), listPages().map(linkOf).sort())
    assert.notInclude(
      groups.map(({ text }) => text),
      "More"
    )
  })

  it("has a page that no list names under More", () =>
    assert.deepStrictEqual(
      sidebar("## Begin\n\n| a | [A](a.md) |\n", ["README.md", "docs/a.md", "docs/new.md"]).slice(1),
      [
        { text: "Begin", items: [{ text: "A", link: "/docs/a" }] },
        { text: "More", items: [{ text: "new", link: "/docs/new" }] }
      ]
    ))

  it("has a page for each program that its pages link to", () => {
    const places = new Map(otherPages())
    const linked = [
      ...listPages().map((page) => [placeOf(page), asInSite(readPage(page))] as const),
      ...places
    ].flatMap(([place, text]) =>
      [...text.matchAll(/\]\(([^)]+\/main\.md)\)/g)].map(([, path = ""]) => join(dirname(place), path))
    )
    assert.isAbove(linked.length, 10)
    assert.deepStrictEqual(
      linked.filter((place) => !places.get(place)?.includes(`# ${place.replace(/md$/, "ts")}\n\n\`\`\`ts\n/**\n`)),
      []
    )
  })

  it("opens with the README", () => assert.strictEqual(placeOf("README.md"), "index.md"))

  it.each([
    ["[a](docs/README.md), [b](../README.md#x)", "[a](docs/index.md), [b](../index.md#x)"],
    ["`[a](README.md)`", "`[a](README.md)`"],
    ["[`a`](../examples/a/main.ts), [b](b/main.ts)", "[`a`](../examples/a/main.md), [b](b/main.md)"],
    ["```text\n[a](README.md)\n```", "```text\n[a](README.md)\n```"],
    ["[a](MY-README.md)", "[a](MY-README.md)"]
  ])("%j becomes %j", (text, expected) => assert.strictEqual(asInSite(text), expected))
})
