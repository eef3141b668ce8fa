import { chromium } from "playwright-core"; import { build } from "vite"; import fs from "node:fs"; import path from "node:path";
import { servePage } from "/work/main/packages/simtape/test/browser/page-server.ts";
process.env.NODE_ENV="production"; process.chdir("/work/main/packages/viewer");
const out="/tmp/scene-dist"; 
if (!process.argv.includes("--nobuild")) { console.time("build"); await build({ root:"/work/main/packages/viewer", configFile:"/work/main/packages/viewer/vite.config.ts", logLevel:"warn", build:{ outDir: out, emptyOutDir:true } }); console.timeEnd("build"); }
const recs = new Map<string,Uint8Array>(); 
for (const d of ["/work/main/examples","/tmp/demo"]) if (fs.existsSync(d)) for (const f of fs.readdirSync(d)) { const p=path.join(d,f); if(fs.statSync(p).isFile()) recs.set((d==="/tmp/demo"?"demo-":"")+f,new Uint8Array(fs.readFileSync(p))); }
recs.set("ala.nanover.zip", new Uint8Array(fs.readFileSync("/work/shared/samples/nanover/17-ala-multiple.nanover.zip")));
recs.set("lane.log", new Uint8Array(fs.readFileSync("/work/shared/samples/carla/2021-DistanceToLaneCenter.log")));
const server = await servePage(out, recs);
const browser = await chromium.launch({ executablePath:"/usr/bin/chromium", args:["--no-sandbox","--use-gl=angle","--use-angle=swiftshader","--enable-unsafe-swiftshader","--ignore-gpu-blocklist","--no-first-run"] });
const shots = JSON.parse(fs.readFileSync(process.argv[2]!,"utf8")); fs.mkdirSync("/tmp/shots",{recursive:true});
for (const s of shots) {
  const page = await browser.newPage({ viewport:{width:1280,height:720}, colorScheme: s.scheme ?? "dark" });
  page.on("pageerror", e=>console.log(s.name,"PAGEERROR",String(e), (e as any).stack?.slice(0,600))); page.on("console", m=>{ if(m.type()==="error"||m.type()==="warning") console.log(s.name,m.type(),m.text().slice(0,300)); });
  const urls = (Array.isArray(s.file)?s.file:[s.file]).map((f:string)=>`url=recordings/${f}`).join("&");
  await page.goto(`${server.url}?${urls}#${encodeURIComponent(JSON.stringify({t:s.t, selection:s.selection, shared:{scene:s.scene??{}}}))}`);
  try {
  const t0=Date.now();
  await page.waitForFunction(()=>{ const c=document.querySelector<HTMLCanvasElement>(".scene-view canvas"); return c && c.dataset["time"]; }, null, {timeout:20000});
  await page.waitForTimeout(s.wait ?? 700);
  if (s.play) { await page.evaluate(()=>{ const b=[...document.querySelectorAll("button")].find(b=>/^play/i.test(b.getAttribute("aria-label")??"")); b?.click(); }); await page.waitForTimeout(s.play); await page.evaluate(()=>{ const b=[...document.querySelectorAll("button")].find(b=>/^pause/i.test(b.getAttribute("aria-label")??"")); b?.click(); }); await page.waitForTimeout(200);}
  console.log(s.name, Date.now()-t0, await page.getAttribute(".scene-view canvas","aria-label"), await page.textContent(".scene-gaps"));
  } catch(e) { console.log(s.name, String(e).slice(0,300)); }
  await page.screenshot({ path:`/tmp/shots/${s.name}.png` });
  await page.close();
}
await browser.close(); await server.close();
