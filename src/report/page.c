/* SPDX-License-Identifier: Apache-2.0 */
/* Looks and behaviour of a page. Colours are variables, so that dark is a second set of them and no more. */
#include "report/page.h"

/* clang-format off */
const char *const scarce__page_style[] = {
":root{color-scheme:light dark;--ground:#f4f5f7;--card:#fff;--ink:#1b1f27;--soft:#5d6573;--faint:#98a0ad;"
"--line:#e3e6eb;--track:#eef0f4;--good:#16825a;--note:#2a66d1;--warn:#b06a00;--bad:#c8322b;"
"--c0:#2a66d1;--c1:#d4541c;--c2:#16825a;--c3:#8b48bf;--c4:#b07d00;--c5:#cc2f7b;--c6:#0b86a0;--c7:#73614f}",
"@media(prefers-color-scheme:dark){:root{--ground:#12151b;--card:#1b1f27;--ink:#e7eaf0;--soft:#a4adbb;"
"--faint:#717a89;--line:#2d333e;--track:#272c36;--good:#46c795;--note:#74a7ff;--warn:#f0b14b;--bad:#ff7a70;"
"--c0:#74a7ff;--c1:#ff9566;--c2:#46c795;--c3:#c996f2;--c4:#f2c14e;--c5:#ff7fba;--c6:#4bcbe3;--c7:#c8b49d}}",
"*{box-sizing:border-box}",
"html{-webkit-text-size-adjust:100%;text-size-adjust:100%}",
"body{margin:0;background:var(--ground);color:var(--ink);"
"font:15px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,sans-serif;"
"overflow-wrap:anywhere}",
"main{max-width:1240px;margin:0 auto;padding:28px 20px 40px}",
"h1{font-size:27px;line-height:1.2;margin:0;letter-spacing:-.01em}",
"h2{font-size:19px;line-height:1.3;margin:36px 0 12px;scroll-margin-top:12px}",
".sub{color:var(--soft);margin:6px 0 0}",
"p{max-width:78ch;margin:0 0 12px}",
".note{color:var(--soft);font-size:13px}",
"nav{display:flex;flex-wrap:wrap;gap:6px;margin:16px 0 24px}",
"nav a{color:var(--soft);text-decoration:none;font-size:13px;padding:3px 11px;border:1px solid var(--line);"
"border-radius:99px;background:var(--card)}",
"nav a:hover,nav a:focus{color:var(--ink);border-color:var(--faint)}",
".grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,350px),1fr));gap:16px;"
"margin:0 0 16px}",
".card{background:var(--card);border:1px solid var(--line);border-radius:10px;margin:0;padding:16px;min-width:0}",
".wide{grid-column:1/-1}figure.card{display:flex;flex-direction:column}",
"figcaption b{display:block;font-size:15px;font-weight:600;line-height:1.35}",
"figcaption span{display:block;color:var(--soft);font-size:13px;line-height:1.4;margin-top:2px}",
".none{color:var(--faint);padding:40px 0;text-align:center;margin:0 auto}",
".legend{display:flex;flex-wrap:wrap;gap:2px 14px;margin-top:8px;font-size:12.5px;color:var(--soft)}",
".legend i{display:inline-block;width:14px;height:10px;margin-right:6px;border-radius:2px;"
"background:var(--c,var(--faint))}",
".legend .kl{height:3px;vertical-align:3px}",
".legend .kb{opacity:.35}",
".legend .kp{width:9px;height:9px;border-radius:50%}",
".legend .kr{height:0;border-top:2px dashed var(--c,var(--faint));background:none;vertical-align:4px;"
"border-radius:0}",
".c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}",
".c4{--c:var(--c4)}.c5{--c:var(--c5)}.c6{--c:var(--c6)}.c7{--c:var(--c7)}.g{--c:var(--faint)}",
".plot{position:relative}",
".plot svg{position:absolute;left:0;top:0;width:100%;height:100%;overflow:visible;fill:var(--ink);"
"font-size:12.5px}",
".plot svg.cut{overflow:hidden}.xy,.cols{flex:1 0 auto;max-height:420px}",
".plot text{font-variant-numeric:tabular-nums}",
".ty,.tx,.nx,.ny{fill:var(--soft);font-size:11.5px}",
".ty,.v{text-anchor:end}.tx,.nx,.cv{text-anchor:middle}.v{fill:var(--soft)}",
".nx,.ny{font-size:12px}.cv{font-size:11.5px}.cv.on{fill:var(--card)}",
"line.gl{stroke:var(--line)}line.base{stroke:var(--faint)}line.tick{stroke:var(--faint);"
"transform:translateY(2px);stroke-width:4px;stroke-dasharray:none}",
".data path{vector-effect:non-scaling-stroke;fill:none;stroke:var(--c);stroke-width:2px;"
"stroke-linejoin:round;stroke-linecap:round}",
".data .b{fill:var(--c);stroke:none;opacity:.18}",
".data .h{fill:var(--c);stroke:none;opacity:.85}.xy .h{opacity:.5;stroke:var(--card);stroke-width:.5px}",
".data .p{stroke-width:6px}.rows .p{stroke-width:10px}",
".data .w{stroke-width:3px;opacity:.5}.data .e{stroke:var(--ink);stroke-width:1.5px;opacity:.75}",
".data .r{stroke-width:1.5px;stroke-dasharray:5 4;stroke-linecap:butt}",
".data .track{stroke:var(--track);stroke-width:9px;stroke-linecap:butt}",
".data .cell{fill:var(--c0);stroke:var(--card);stroke-width:1px}",
".hair{position:absolute;top:0;bottom:0;width:1px;background:var(--faint);pointer-events:none}",
".tip{position:absolute;z-index:2;pointer-events:none;background:var(--ink);color:var(--card);font-size:12px;"
"line-height:1.45;padding:6px 9px;border-radius:6px;max-width:270px;font-variant-numeric:tabular-nums}",
".tip b{font-weight:600}.tip i{display:inline-block;width:8px;height:8px;border-radius:50%;margin-right:6px;"
"background:var(--c)}",
".tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,165px),1fr));gap:12px;"
"margin:0 0 16px}",
".tile{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:12px 14px}",
".tile span,.tile small{display:block;color:var(--soft);font-size:12.5px;line-height:1.35}",
".tile b{display:block;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;font-size:24px;line-height:1.3;font-weight:600;letter-spacing:-.02em;"
"font-variant-numeric:tabular-nums}.tile .t{white-space:normal;font-size:16px;letter-spacing:0;padding:5px 0}",
"dl{display:grid;grid-template-columns:minmax(110px,max-content) minmax(0,1fr);gap:5px 20px;margin:0 0 16px;"
"font-size:14px}",
"dt{color:var(--soft)}dd{margin:0;font-variant-numeric:tabular-nums}",
".scroll{overflow-x:auto;margin:0 0 16px;padding:6px 4px}",
"table{border-collapse:collapse;font-size:13.5px;width:100%;overflow-wrap:normal}",
"caption{text-align:left;color:var(--soft);font-size:13px;padding:6px 12px}",
"th,td{padding:6px 12px;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}",
"th{color:var(--soft);font-weight:500;white-space:nowrap}tr:last-child td{border-bottom:0}",
"td{max-width:340px;overflow-wrap:break-word}td.w{min-width:300px;max-width:600px}",
".n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}",
".findings{list-style:none;margin:0 0 16px;padding:0;display:grid;gap:10px}",
".findings li{border-left:4px solid var(--f);padding:11px 16px}",
".findings em{font-style:normal;font-size:12px;font-weight:600;color:var(--f);text-transform:uppercase;"
"letter-spacing:.05em;margin-right:8px}",
".findings span{display:block;color:var(--soft);font-size:14px}",
".f0{--f:var(--good)}.f1{--f:var(--note)}.f2{--f:var(--warn)}.f3{--f:var(--bad)}",
"footer{color:var(--faint);font-size:12.5px;margin-top:36px}",
"@media(max-width:640px){main{padding:18px 12px 30px}h1{font-size:23px}.wide .odd{display:none}.card{padding:13px}"
"th,td{padding:6px 9px}.tiles{grid-template-columns:1fr 1fr;gap:8px}"
".tile b{font-size:21px}dl{gap:4px 12px}"
"table:has(td.w:last-child),:has(td.w:last-child)>thead,tbody:has(td.w:last-child){display:block}"
":has(td.w:last-child)>thead tr,tbody:has(td.w:last-child) tr{display:grid;border-bottom:1px solid var(--line);"
"grid-template-columns:repeat(auto-fill,minmax(76px,1fr))}"
":has(td.w:last-child)>thead th,tbody:has(td.w:last-child) td{border:0;padding:4px 6px;min-width:0;text-align:left;"
"white-space:normal;overflow-wrap:anywhere}"
":has(td.w:last-child)>thead th:last-child,tbody:has(td.w:last-child) td:last-child{grid-column:1/-1}}",
"@media print{body{background:#fff}.card,.tile{break-inside:avoid}nav{display:none}}",
NULL};

/* Paths back to points, places back to values, and a box beside the pointer. Texts go in as text nodes only. */
const char *const scarce__page_script[] = {
"(function(){'use strict';",
"function points(d){var out=[],x=0,y=0,m,re=/([Mlhvz])([^Mlhvz]*)/g;",
" while(m=re.exec(d)){var v=(m[2].match(/-?\\d+/g)||[]).map(Number),i;",
"  if(m[1]=='M'){x=v[0];y=v[1];out.push([x,y,1])}",
"  else if(m[1]=='h'){x+=v[0];if(v[0])out.push([x,y,0])}",
"  else if(m[1]=='v'){y+=v[0];out.push([x,y,0])}",
"  else if(m[1]=='l')for(i=0;i<v.length;i+=2){x+=v[i];y+=v[i+1];out.push([x,y,0])}}",
" return out}",
"function axis(text){return (text||'0 1 0').split(' ').map(Number)}",
"function value(a,f){return a[2]==1?a[0]*Math.pow(a[1]/a[0],f):a[0]+(a[1]-a[0])*f}",
/* as many digits as the coordinates carry: a ten-thousandth of the axis */
"function write(v,a){var r=a?Math.abs(a[1]-a[0]):0,s,u;",
" if(a&&a[2]==2){u=r>4e7?86400:r>4e5?3600:60;",
"  return new Date(Math.round(v/u)*u*1000).toISOString().slice(0,r>4e5?10:16).replace('T',' ')}",
" if(a&&a[2]==1)v=+v.toPrecision(3);s=Math.abs(v);",
" if(s==0||(a&&a[2]!=1&&s<r*1e-4))return '0';",
" if(s>=1e15||s<1e-4)return v.toExponential(2);",
" if(s>=1e4)return String(Math.round(v)).replace(/\\B(?=(\\d{3})+$)/g,'\\u202f');",
" return String(+v.toPrecision(4))}",
"function pieces(d){return d.split('z').filter(Boolean).map(points)}",
"function nearest(list,x){return list.reduce(function(a,p){return !a||Math.abs(p[0]-x)<Math.abs(a[0]-x)?p:a},null)}",
/* y of a line at x, between its points; a third item of 1 begins a new piece */
"function along(list,x){for(var i=1;i<list.length;i++){var a=list[i-1],b=list[i];if(b[2])continue;",
" if((a[0]<=x&&x<=b[0])||(b[0]<=x&&x<=a[0]))return a[0]==b[0]?b[1]:a[1]+(b[1]-a[1])*(x-a[0])/(b[0]-a[0])}",
" var p=nearest(list,x);return p&&Math.abs(p[0]-x)<150?p[1]:null}",
/* the text of one path at x, or null */
"function read(path,x,ax,ay){var d=path.getAttribute('d'),kind=path.getAttribute('class').charAt(0),hit=null,all;",
" function y(v){return v===null?null:write(value(ay,1-v/1e4),ay)}",
" if(kind=='b'){pieces(d).forEach(function(p){var h=p.length>>1,up=p.slice(0,h),low=p.slice(h).reverse(),a=along(up,x),b=along(low,x);",
"  if(a!==null&&b!==null)hit=y(b)+' to '+y(a)});return hit}",
" if(kind=='h'){pieces(d).forEach(function(p){if(p.length>=3&&x>=p[0][0]&&x<p[2][0])hit=y(p[1][1])});return hit}",
" all=points(d);if(!all.length)return null;",
" if(kind=='r')return all[0][0]==all[1][0]?write(value(ax,all[0][0]/1e4),ax):y(all[0][1]);",
" if(kind=='s'){all.forEach(function(p){if(p[0]<=x)hit=p});return hit?y(hit[1]):null}",
" if(kind=='p'){hit=nearest(all,x);return Math.abs(hit[0]-x)<150?y(hit[1]):null}",
" return y(along(all,x))}",
/* a line jumps to its next point where points lie far apart, a histogram to its bar */
"function snap(paths,x){for(var i=0;i<paths.length;i++){var k=paths[i].getAttribute('class').charAt(0),p;",
"  if(k=='l'||k=='p'||k=='s'){p=nearest(points(paths[i].getAttribute('d')),x);return p?p[0]:x}}return x}",
"function bar(paths,x){var out=null;paths.forEach(function(q){if(q.getAttribute('class').charAt(0)=='h')",
"  pieces(q.getAttribute('d')).forEach(function(p){if(p.length>=3&&x>=p[0][0]&&x<p[2][0])out=[p[0][0],p[2][0]]})});return out}",
/* one line per name: the value, and the band behind it */
"function add(rows,name,text,cls){var band=cls.charAt(0)=='b',row=rows.filter(function(r){return r.name==name})[0];",
" if(text===null)return;if(!row)rows.push(row={name:name,cls:cls,value:'',band:''});",
" if(band)row.band=text;else if(!row.value)row.value=text}",
"function lines(plot,fx,fy){var rows=[],data=plot.querySelector('.data'),paths=[].slice.call(data.querySelectorAll('path'));",
" if(plot.classList.contains('heat')){var c=plot.dataset.t.split('\\n'),r=plot.dataset.r.split('\\n'),",
"  i=Math.min(c.length-1,Math.floor(fx*c.length)),j=Math.min(r.length-1,Math.floor(fy*r.length));",
"  add(rows,'',plot.dataset.v.split(' ')[j*c.length+i],'h');return {x:null,head:r[j]+(c[i]?' \\u00b7 '+c[i]:''),rows:rows}}",
" var ax=axis(plot.dataset.x),ay=axis(plot.dataset.y),names=plot.dataset.t?plot.dataset.t.split('\\n'):null,x=fx*1e4;",
" if(names){var k=Math.min(names.length-1,Math.floor(fx*names.length)),lo=k/names.length*1e4,hi=(k+1)/names.length*1e4;",
"  paths.forEach(function(p){var v='n/a';pieces(p.getAttribute('d')).forEach(function(q){",
"   if(q[0][0]>=lo-1&&q[2][0]<=hi+1)v=write(value(ay,1-q[1][1]/1e4),ay)});add(rows,p.dataset.n,v,p.getAttribute('class'))});",
"  return {x:null,head:names[k],rows:rows}}",
" var b=bar(paths,x);if(!b)x=snap(paths,x);",
" paths.forEach(function(p){if(p.dataset.n!==undefined)add(rows,p.dataset.n,read(p,x,ax,ay),p.getAttribute('class'))});",
" var at=b?write(value(ax,b[0]/1e4),ax)+' to '+write(value(ax,b[1]/1e4),ax):write(value(ax,x/1e4),ax);",
" return {x:x/1e4,head:(plot.dataset.xn?plot.dataset.xn+' ':'')+at,rows:rows}}",
"function show(plot,e){var box=plot.getBoundingClientRect(),fx=(e.clientX-box.left)/box.width,"
"fy=(e.clientY-box.top)/box.height;",
" if(fx<-.02||fx>1.02||fy<-.02||fy>1.02){hide(plot);return}",
" fx=Math.max(0,Math.min(1,fx));fy=Math.max(0,Math.min(.9999,fy));",
" var t=lines(plot,fx,fy),tip=plot.querySelector('.tip'),hair=plot.querySelector('.hair'),b;",
" if(!tip){tip=document.createElement('div');tip.className='tip';hair=document.createElement('div');"
"hair.className='hair';plot.appendChild(hair);plot.appendChild(tip)}",
" tip.textContent='';b=document.createElement('b');b.textContent=t.head;tip.appendChild(b);",
" t.rows.slice(0,12).forEach(function(r){var line=document.createElement('div'),dot=document.createElement('i');",
"  if(t.rows.length>1){dot.className=r.cls.split(' ')[1]||'';line.appendChild(dot)}",
"  line.appendChild(document.createTextNode((r.name?r.name+' ':'')+r.value+(r.value&&r.band?' ('+r.band+')':r.band)));tip.appendChild(line)});",
" hair.hidden=t.x===null;if(t.x!==null)hair.style.left=t.x*100+'%';tip.hidden=false;",
" var w=tip.offsetWidth,at=fx*box.width,left=at+14;if(left+w>box.width)left=at-w-14;",
" tip.style.left=Math.max(Math.min(0,box.width-w),left)+'px';tip.style.top=Math.max(0,fy*box.height-tip.offsetHeight-10)+'px'}",
"function hide(plot){[].forEach.call(plot.querySelectorAll('.tip,.hair'),function(n){n.hidden=true})}",
"[].forEach.call(document.querySelectorAll('.xy,.cols,.heat'),function(plot){",
" plot.addEventListener('pointermove',function(e){show(plot,e)});",
" plot.addEventListener('pointerdown',function(e){show(plot,e)});",
" plot.addEventListener('pointerleave',function(){hide(plot)})})})();",
NULL};
/* clang-format on */
