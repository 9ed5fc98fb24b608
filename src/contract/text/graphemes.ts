/** The characters of a text as people count them; pure. */

let segmenter: Intl.Segmenter | undefined

/** The first call takes some milliseconds, so that nothing segments before it must. */
export const graphemesOf = (text: string): Intl.Segments => {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" })
  return segmenter.segment(text)
}
