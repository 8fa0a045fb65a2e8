package charts
import ("testing";"os";"math")
func TestZZ(t *testing.T){
	save:=func(name string, c *Chart, err error){
		if err!=nil { t.Fatal(err)}
		c.Subtitle="exponential:mean=10ms · poisson · 4 at once · virtual clock"
		for l,n:=range []string{"wide","narrow"} { f,_:=os.Create("/tmp/shots/"+name+"-"+n+".svg"); c.SVG(f,Layout(l)); f.Close() }
		f,_:=os.Create("/tmp/shots/"+name+".png"); if err:=c.PNG(f);err!=nil{t.Fatal(err)}; f.Close()
		t.Log(name, c.Notes, c.Same)
	}
	c,err:=Response("Response against load",Load,samplePanels()); save("response",c,err)
	var tp []Panel
	for k,n:=range []string{"throughput","goodput"} { p:=Panel{Title:n}
		for i,name:=range strategyNames { s:=Series{Name:name,Style:i}
			for _,l:=range sampleLoads { y:=l*400; if i==3 {y=min(y,98)}; if i==0 {y*=1-0.08*math.Pow(l,8)}; if k==1 {y*=1-.3*math.Pow(l,12)}; s.X=append(s.X,l*400); s.Y=append(s.Y,y)}
			p.Series=append(p.Series,s)}
		tp=append(tp,p)}
	c,err=Throughput("Throughput and goodput",400,tp); save("throughput",c,err)
	var dp []Panel
	for _,l:=range []float64{.3,.7,.95} { p:=Panel{Title:"load "+Count(l)}
		for i,name:=range strategyNames { s:=Series{Name:name,Style:i}
			for x:=0.0;x<=3.6;x+=0.05 { q:=1-math.Pow(10,-x); if q==0 {q=0.001}; s.X=append(s.X,q); s.Y=append(s.Y,sampleResponse(i,l,q)) }
			for _,q:=range []float64{.5,.9,.99,.999}{ s.X=append(s.X,q); s.Y=append(s.Y,sampleResponse(i,l,q)) }
			p.Series=append(p.Series,s)}
		dp=append(dp,p)}
	c,err=Distribution("Distribution of the response",dp); save("distribution",c,err)
	vp:=Panel{Title:"p99 response"}
	for i,name:=range strategyNames { if i==3 {continue}; s:=Series{Name:name,Style:i}; th:=Series{Name:name,Style:i,Theory:true}
		for _,c2:=range []float64{0,1,4,16,64} { y:=sampleResponse(i,.8,.99)*math.Pow(1+c2,.6); s.X=append(s.X,c2); s.Y=append(s.Y,y); s.Lo=append(s.Lo,y/1.15); s.Hi=append(s.Hi,y*1.2)
			if i!=0&&i!=4 {th.X=append(th.X,c2); th.Y=append(th.Y,y*1.03)} }
		vp.Series=append(vp.Series,s); if len(th.X)>0 {vp.Series=append(vp.Series,th)} }
	c,err=Variance("The cost of variance",[]Panel{vp}); save("variance",c,err)
	var lp []Panel
	for k,n:=range []string{"in flight","queued"} { p:=Panel{Title:n}
		for i,name:=range strategyNames { s:=Series{Name:name,Style:i}
			v:=0.0
			for j:=range 1000 { v+=math.Sin(float64(j*j+i*7*k)); if v<0 {v=0}; y:=v; if k==0 {y=math.Min(math.Round(v),4)}; if i==5||i==1 { y=0; if len(p.Series)>2 { y=p.Series[2].Y[j*0]*0+math.Round(2+2*math.Sin(float64(j)/50))} }; s.X=append(s.X,float64(j)/10); s.Y=append(s.Y,math.Round(y))}
			p.Series=append(p.Series,s)}
		lp=append(lp,p)}
	c,err=Timeline("Timeline",lp); save("timeline",c,err)
}
