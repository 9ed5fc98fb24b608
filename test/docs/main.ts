// `npm run docs`: writes the sections of the pages that are made of the source.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pages, readPage, root } from "./kit/pages.ts"
import { withSections } from "./kit/sections.ts"

for (const page of pages) {
  const text = readPage(page)
  const written = withSections(text)
  if (written !== text) writeFileSync(join(root, page), written)
  console.log(written === text ? `${page}: as it should be` : `${page}: written`)
}
