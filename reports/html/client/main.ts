import { startCharts } from "./charts.ts";
import { startCopyButtons } from "./copy.ts";
import { startFilter } from "./filter.ts";
import { startLinks } from "./links.ts";
import { pageData } from "./page.ts";
import { startTimelines } from "./timelines.ts";

// Everything that is shown here stands in the page as text already; this makes it handier.
const filter = startFilter();
startLinks(filter);
startCopyButtons();
const data = pageData();
startTimelines(data.timelines);
startCharts(data.series);
document.documentElement.dataset["ready"] = "true";
