package reports
import ("testing";"os/exec";"os")
func TestZZReport(t *testing.T){
	dir:=writeSample(t,sampleSweep())
	if err:=WriteReport(dir);err!=nil{t.Fatal(err)}
	os.RemoveAll("/tmp/shots/run")
	exec.Command("cp","-r",dir,"/tmp/shots/run").Run()
}
