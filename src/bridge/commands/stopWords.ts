/** Words that stop the agent where they are the whole message; pure. */

/** In lower case, composed. Only such as are an order by themselves: "no", "wait" and "quit" may be an answer. */
const words: ReadonlySet<string> = new Set([
  ...["stop", "stopp", "halt", "abort", "cancel", "stop it", "please stop", "stop please"], // English
  ...["anhalten", "abbrechen", "abbruch", "aufhören", "stopp bitte", "bitte stoppen"], // German
  ...["arrête", "arrete", "arrêter", "arrêtez", "annuler"], // French
  ...["para", "alto", "detente", "detén", "detener", "cancelar", "cancela"], // Spanish
  ...["pare", "parar", "pára"], // Portuguese
  ...["ferma", "fermati", "annulla", "basta"], // Italian
  ...["stoppen", "annuleren"], // Dutch
  ...["stoppa", "avbryt"], // Swedish, Norwegian
  ...["afbryd"], // Danish
  ...["pysähdy", "peruuta"], // Finnish
  ...["zatrzymaj", "przerwij", "anuluj"], // Polish
  ...["zastav", "zrušit"], // Czech
  ...["стоп", "стой", "остановись", "отмена", "отменить"], // Russian
  ...["зупинись", "зупини", "скасувати", "спри", "стані"], // Ukrainian, Bulgarian, Belarusian
  ...["dur", "durdur", "iptal"], // Turkish
  ...["σταμάτα", "στοπ", "ακύρωση"], // Greek
  ...["állj", "mégse"], // Hungarian
  ...["oprește", "opreste", "anulează"], // Romanian
  ...["עצור", "תפסיק", "בטל"], // Hebrew
  ...["توقف", "قف", "إلغاء", "ایست", "لغو"], // Arabic, Persian
  ...["रुको", "रुकें", "बंद करो"], // Hindi
  ...["停", "停止", "停下", "取消", "终止", "終止"], // Chinese
  ...["止めて", "やめて", "ストップ", "キャンセル", "中止"], // Japanese
  ...["멈춰", "정지", "중지", "그만", "취소"], // Korean
  ...["dừng", "dừng lại", "hủy"], // Vietnamese
  ...["berhenti", "batal", "batalkan"], // Indonesian, Malay
  ...["หยุด", "ยกเลิก"] // Thai
])

const longest = 40

const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
const around = /^[\s\p{P}\p{S}]+|[\s\p{P}\p{S}]+$/gu

/** Case, marks around it and invisible characters do not count. */
export const isStopWord = (text: string): boolean => {
  if (text.length > longest) return false
  const word = text.normalize("NFKC").replace(invisible, "").replace(around, "").replace(/\s+/g, " ")
  return words.has(word.toLowerCase().normalize("NFC"))
}
