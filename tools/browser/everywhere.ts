/** A state of the page at each width and in both schemes, checked and pictured: the pictures are in `.cache/browser/`. */
import { join } from "node:path"
import { assert } from "vitest"
import { lowContrast, nameless, sideways, small } from "./accessible.ts"
import type { Page } from "./page.ts"

const folder = join(import.meta.dirname, "../../.cache/browser")
/** A phone, which is touched; a tablet, whose list is a drawer; the narrowest with a list beside; one with a rail. */
const widths = [360, 800, 900, 1600] as const
const schemes = ["light", "dark"] as const

/** In one page: each width and scheme, one after the other. */
export const everywhere = async (page: Page, name: string) => {
  await page.evaluate("document.fonts.ready.then(() => undefined)")
  for (const width of widths) {
    await page.size(width, width === 360 ? 780 : 900)
    for (const scheme of schemes) {
      const isPhone = width === 360
      await page.prefer({ scheme, reducedMotion: true, touch: isPhone })
      const least = isPhone ? 44 : 24
      const wrong = [...(await lowContrast(page)), ...(await sideways(page)), ...(await small(page, least))]
      assert.deepStrictEqual(wrong, [], `${name}, ${width} px, ${scheme}`)
      await page.picture(join(folder, `${name}-${width}-${scheme}.png`))
    }
    assert.deepStrictEqual(await nameless(page), [], `${name}, ${width} px`)
  }
  assert.deepStrictEqual(
    await page.evaluate("document.getAnimations().filter((each) => each.playState === 'running').length"),
    0
  )
}
