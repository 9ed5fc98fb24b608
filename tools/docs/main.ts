// `npm run docs:generate`: writes what is made of the source: sections of the pages, and the descriptions of `reins schema`.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { descriptions, descriptionsFile } from "./kit/descriptions.ts"
import { pages, readPage, root } from "./kit/pages.ts"
import { withSections } from "./kit/sections.ts"

writeFileSync(descriptionsFile, descriptions())
for (const page of pages) {
  const text = readPage(page)
  const output = withSections(text)
  if (output !== text) writeFileSync(join(root, page), output)
  console.log(output === text ? `${page}: as it should be` : `${page}: written`)
}
