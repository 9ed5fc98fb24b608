// The pages of the site, made of the README, docs/ and the changelog, and their order at the side. The groups are those of
// docs/README.md, the list of all pages by task: a new page that has its row there needs nothing here. Pages for contributors
// come behind them. The programs of examples/ are pages of their code, to which the others link.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { contributorPages } from "../docs/kit/pages.ts"

export const root = join(import.meta.dirname, "../..")
export const source = join(import.meta.dirname, ".cache/pages")
export const output = join(import.meta.dirname, "dist")

export interface Group {
  readonly text: string
  readonly items: ReadonlyArray<{ readonly text: string; readonly link: string }>
}

/** From the root of the project. */
export const listPages = (): ReadonlyArray<string> => [
  "README.md",
  ...globSync("docs/*.md", { cwd: root }).sort(),
  "CHANGELOG.md",
  ...contributorPages
]

/** Where a page is in the site: a README is what a folder opens with. */
export const placeOf = (page: string): string => page.replace(/README\.md$/, "index.md")

export const linkOf = (page: string): string => `/${placeOf(page).replace(/(index)?\.md$/, "")}`

const linksInSite = (prose: string): string =>
  prose.replaceAll(/(\]\((?:[\w./-]*\/)?)README\.md/g, "$1index.md").replaceAll(/(\]\([\w./-]+\/main)\.ts\)/g, "$1.md)")

/** Links to a README or a program lead to where it is in the site. Code stays as it is. */
export const asInSite = (text: string): string =>
  text
    .split(/(^```[\s\S]*?^```$|`[^`\n]+`)/m)
    .map((part) => (part.startsWith("`") ? part : linksInSite(part)))
    .join("")

const groupsOf = (index: string): ReadonlyArray<Group> =>
  index
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.split("\n", 1)[0] ?? "",
      items: [...section.matchAll(/\[([^\]]+)\]\(([\w-]+\.md)\)/g)].map(([, text = "", file = ""]) => ({
        text,
        link: linkOf(`docs/${file}`)
      }))
    }))

const titleOf = (page: string) => /^# (.*)$/m.exec(readPage(page))?.[1] ?? page

/** A page without a row in `index`, the text of docs/README.md, is in the group "More". */
export const sidebar = (index: string, pages: ReadonlyArray<string>): ReadonlyArray<Group> => {
  const first = { text: "Reins", items: [{ text: "Start", link: "/" }] }
  const changes = { text: "All pages by task", link: "/docs/" }
  const groups = groupsOf(index)
  const placed = new Set(groups.flatMap(({ items }) => items.map(({ link }) => link)))
  const more = pages
    .filter((page) => page.startsWith("docs/") && page !== "docs/README.md" && !placed.has(linkOf(page)))
    .map((page) => ({ text: page.slice("docs/".length, -".md".length), link: linkOf(page) }))
  const own = pages
    .filter((page) => contributorPages.includes(page))
    .map((page) => ({ text: titleOf(page), link: linkOf(page) }))
  return [
    { ...first, items: [...first.items, changes, { text: "Changes", link: "/CHANGELOG" }] },
    ...groups,
    ...(own.length === 0 ? [] : [{ text: "Contribute", items: own }]),
    ...(more.length === 0 ? [] : [{ text: "More", items: more }])
  ]
}

export const readPage = (page: string): string => readFileSync(join(root, page), "utf8")

/** As the anchors of headings are made where the pages are read as Markdown, so that a link holds in both. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

/** The pages that no list names, by their places. */
export const otherPages = (): ReadonlyArray<readonly [place: string, text: string]> => [
  [placeOf("examples/README.md"), asInSite(readPage("examples/README.md"))],
  ...globSync("examples/*/main.ts", { cwd: root })
    .sort()
    .map((file) => [file.replace(/\.ts$/, ".md"), `# ${file}\n\n\`\`\`ts\n${readPage(file)}\`\`\`\n`] as const)
]

/** Writes what the generator reads: inside this folder, where it finds its own packages. */
export const writePages = (): void => {
  rmSync(source, { recursive: true, force: true })
  const pages = listPages().map((page) => [placeOf(page), asInSite(readPage(page))] as const)
  for (const [place, text] of [...pages, ...otherPages()]) {
    const file = join(source, place)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}
