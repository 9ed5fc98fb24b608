// The site that `npm run docs` builds. Nothing in it is loaded from elsewhere: the search is an index that comes with it.
import { join } from "node:path"
import { anchorOf, listPages, output, readPage, sidebar, source } from "../pages.ts"

interface Markdown {
  readonly renderer: { readonly rules: Record<string, ((...args: ReadonlyArray<unknown>) => string) | undefined> }
}

/** `{{name}}` in prose and in `code` is text: the generator would take it for an expression of its own. */
function showBracesAsText({ renderer: { rules } }: Markdown): void {
  for (const name of ["text", "code_inline"]) {
    const render = rules[name]
    if (render) rules[name] = (...args) => render(...args).replaceAll("{{", "&#123;&#123;")
  }
}

export default {
  title: "Reins",
  description: "Coding-agent CLIs behind one typed event stream",
  srcDir: source,
  outDir: output,
  cacheDir: join(source, "../vitepress"),
  ignoreDeadLinks: false,
  markdown: {
    // Paths in prose that end in `.md` or a domain are not links.
    linkify: false,
    anchor: { slugify: anchorOf },
    config: showBracesAsText
  },
  themeConfig: {
    search: { provider: "local" },
    sidebar: sidebar(readPage("docs/README.md"), listPages()),
    outline: [2, 3],
    externalLinkIcon: true
  }
}
