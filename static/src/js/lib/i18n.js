// Words and numbers in the reader's language. The catalog is Django's, loaded before the modules.
const catalog = globalThis.django ?? {};

export const gettext = catalog.gettext ?? ((text) => text);
export const ngettext = catalog.ngettext ?? ((one, many, count) => (count === 1 ? one : many));

/** Fills `%(name)s` in a translated sentence. */
export function fill(sentence, values) {
  return sentence.replace(/%\((\w+)\)s/g, (whole, name) =>
    name in values ? String(values[name]) : whole,
  );
}

export const language = globalThis.document?.documentElement.lang || "en";

const shares = new Intl.NumberFormat(language, { style: "percent" });
const numbers = new Intl.NumberFormat(language);
const clock = new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit" });
const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });

/** A whole number with the separators of the language. */
export const number = (value) => numbers.format(value);

/** A share from 0 to 1 in percent. */
export const percent = (share) => shares.format(share);

/** The hour of a moment, with the day in front when it is not today's. */
export function time(iso) {
  const moment = new Date(iso);
  if (Number.isNaN(moment.getTime())) return "";
  const isToday = moment.toDateString() === new Date().toDateString();
  return isToday ? clock.format(moment) : `${day.format(moment)}, ${clock.format(moment)}`;
}
