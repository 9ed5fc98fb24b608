// The site that `npm run docs` builds. Nothing in it is loaded from elsewhere: the search is an index that comes with it.
import { join } from "node:path"
import { anchorOf, listPages, output, readPage, sidebar, source } from "../pages.ts"

export default {
  title: "Reins",
  description: "Coding-agent CLIs behind one typed event stream",
  srcDir: source,
  outDir: output,
  cacheDir: join(source, "../vitepress"),
  ignoreDeadLinks: false,
  // Paths in prose that end in `.md` or a domain are not links.
  markdown: { linkify: false, anchor: { slugify: anchorOf } },
  themeConfig: {
    search: { provider: "local" },
    sidebar: sidebar(readPage("docs/README.md"), listPages()),
    outline: [2, 3],
    externalLinkIcon: true
  }
}
