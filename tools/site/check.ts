// The site as it was built: every page is there, its links lead to headings, each page is found by a word that it alone has,
// and nothing is loaded from elsewhere.
import { existsSync, globSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { listPages, output, placeOf, readPage } from "./pages.ts"

/** The used part of the generator's own search engine, which is installed in this folder alone. */
interface Index {
  readonly search: (word: string) => ReadonlyArray<{ readonly id: string }>
}

interface Engine {
  readonly loadJSON: (json: string, options: { readonly fields: ReadonlyArray<string> }) => Index
}

const htmlOf = (page: string) => placeOf(page).replace(/\.md$/, ".html")

const read = (file: string) => readFileSync(join(output, file), "utf8")

const wordsOf = (page: string) => {
  const prose = readPage(page).replaceAll(/^```[\s\S]*?^```$|`[^`\n]*`|\]\([^)]*\)|<!--.*?-->/gm, " ")
  return new Set(prose.match(/(?<![\p{L}\p{N}_-])\p{Ll}{6,}(?![\p{L}\p{N}_'’-])/gu))
}

const loadIndex = async (): Promise<Index> => {
  const [file = ""] = globSync("assets/chunks/@localSearchIndex*.js", { cwd: output })
  const { default: json }: { default: string } = await import(join(output, file))
  const engine: Engine = createRequire(import.meta.url)("minisearch")
  return engine.loadJSON(json, { fields: ["title", "titles", "text"] })
}

/** A page that has no word of its own is found by nothing that could be tested, which is a problem, too. */
const problemsOfSearch = async (pages: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const index = await loadIndex()
  const words = pages.map((page) => ({ page, words: wordsOf(page) }))
  return words.flatMap(({ page, words: own }) => {
    const word = [...own].find((one) => words.every((other) => other.page === page || !other.words.has(one)))
    const found = new Set(index.search(word ?? "").map(({ id }) => id.split("#")[0]))
    const expected = `/${htmlOf(page).replace(/index\.html$/, "")}`
    return word !== undefined && found.has(expected) ? [] : [`the search for "${word}" does not lead to ${page}`]
  })
}

/** The generator looks at files alone, not at their headings. */
const problemsOfLinks = (file: string): ReadonlyArray<string> =>
  [...read(file).matchAll(/<a [^>]*?href="([^"#:]*)#([^"]+)"/g)].flatMap(([, path = "", anchor = ""]) => {
    const from = path.startsWith("/") ? path.slice(1) : join(dirname(file), path)
    const target = path === "" ? file : from.replace(/(^|\/)$/, "$1index.html")
    const there = existsSync(join(output, target)) && read(target).includes(` id="${decodeURIComponent(anchor)}"`)
    return there ? [] : [`${file} links to ${path}#${anchor}, which is not there`]
  })

const loads = [
  /<(?:script|img|iframe|source|video|audio)\b[^>]*\ssrc="(?:https?:)?\/\/[^"]*"/g,
  /<link\b(?![^>]*rel="canonical")[^>]*\shref="(?:https?:)?\/\/[^"]*"/g,
  /(?:url\(|@import\s*)["']?(?:https?:)?\/\/[^)"'\s]*/g,
  /\b(?:import|fetch|importScripts|sendBeacon|WebSocket|EventSource)\(\s*["'`](?:https?|wss?):\/\/[^"'`]*/g,
  /\bfrom\s*["']https?:\/\/[^"']*/g
]

/** Files that the theme would load for `socialLinks`, which the site does not have. */
const unused = "url('https://api.iconify.design/simple-icons/"

const problemsOfLoads = (file: string): ReadonlyArray<string> => {
  const code = /<pre[\s\S]*?<\/pre>|<code[\s\S]*?<\/code>/g
  const text = file.endsWith(".html") ? read(file).replaceAll(code, "") : read(file)
  return loads
    .flatMap((pattern) => text.match(pattern) ?? [])
    .filter((load) => !load.startsWith(unused))
    .map((load) => `${file} loads from elsewhere: ${load}`)
}

export const problemsOfSite = async (): Promise<ReadonlyArray<string>> => {
  const pages = listPages()
  const missing = pages.map(htmlOf).filter((file) => !existsSync(join(output, file)))
  const files = globSync("**/*.{html,js,css}", { cwd: output }).sort()
  // Pages come again as scripts, where their examples are text.
  const scripts = files.filter((file) => !/^assets\/(?!chunks\/|app).*\.md\..*js$|@localSearchIndex/.test(file))
  return [
    ...missing.map((file) => `${file} is not there`),
    ...files.filter((file) => file.endsWith(".html")).flatMap(problemsOfLinks),
    ...scripts.flatMap(problemsOfLoads),
    ...(await problemsOfSearch(pages))
  ]
}
